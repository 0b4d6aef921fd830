import type { Failure } from './model_protocol.ts';

/** A failure in words for people. */
export interface FailureText {
  readonly title: string;
  readonly advice: string;
  /** Caption of the button that tries again. */
  readonly retry: string;
  /** Whether the portable backend may do better. */
  readonly offersCpu: boolean;
}

/** What to tell of a failure and what to offer. */
export type DescribeFailure = (failure: Failure) => FailureText;

/** Texts by the runtime's error class; `other` is for those that have none. */
type FailureTexts = Readonly<Record<string, FailureText>> & { readonly other: FailureText };

const noMemory: FailureText = {
  title: 'Not enough GPU memory',
  advice: 'Closing other tabs may help.',
  retry: 'Try again',
  offersCpu: true,
};

const unsupported: FailureText = {
  title: 'This device cannot run the model',
  advice: 'The portable backend on the CPU runs everywhere, only slower.',
  retry: 'Try again',
  offersCpu: true,
};

const playerTexts: FailureTexts = {
  SourceError: {
    title: 'The player is not here',
    advice: 'The files of the model could not be read. You can play yourself meanwhile.',
    retry: 'Look again',
    offersCpu: false,
  },
  FormatError: {
    title: 'This is not a player of Strata',
    advice: 'Its files were read, and what they hold was refused:',
    retry: 'Look again',
    offersCpu: false,
  },
  DeviceLostError: {
    title: 'The GPU went away',
    advice: 'Its driver was reset or its device taken. The game waits exactly where it was.',
    retry: 'Load the model again',
    offersCpu: true,
  },
  OutOfMemoryError: noMemory,
  UnsupportedError: unsupported,
  other: {
    title: 'The model stopped',
    advice: 'The game waits exactly where it was.',
    retry: 'Load the model again',
    offersCpu: true,
  },
};

const readerTexts: FailureTexts = {
  SourceError: {
    title: 'MagicBox is not here',
    advice: 'The files of the model could not be read. Your text and your questions stay as they are.',
    retry: 'Look again',
    offersCpu: false,
  },
  FormatError: {
    title: 'This is not MagicBox',
    advice: 'Its files were read, and what they hold was refused:',
    retry: 'Look again',
    offersCpu: false,
  },
  DeviceLostError: {
    title: 'The GPU went away',
    advice: 'Its driver was reset or its device taken. Your text and your questions stay as they are.',
    retry: 'Load the model again',
    offersCpu: true,
  },
  OutOfMemoryError: noMemory,
  UnsupportedError: unsupported,
  other: {
    title: 'The model stopped',
    advice: 'Your text and your questions stay as they are.',
    retry: 'Load the model again',
    offersCpu: true,
  },
};

function describeWith(texts: FailureTexts): DescribeFailure {
  return ({ name }) => texts[name === 'ShapeError' ? 'FormatError' : name] ?? texts.other;
}

/** A failure of the game's player in words. */
export const describePlayerFailure = describeWith(playerTexts);

/** A failure of MagicBox in words. */
export const describeReaderFailure = describeWith(readerTexts);
