import type { Failure } from './player_protocol.ts';

/** A failure in words for people. */
export interface FailureText {
  readonly title: string;
  readonly advice: string;
  /** Caption of the button that tries again. */
  readonly retry: string;
  /** Whether the portable backend may do better. */
  readonly offersCpu: boolean;
}

const texts: Readonly<Record<string, FailureText>> = {
  SourceError: {
    title: 'The player is not here',
    advice: 'The files of the model could not be read. You can play yourself meanwhile.',
    retry: 'Look again',
    offersCpu: false,
  },
  FormatError: {
    title: 'This is not a player of Strata',
    advice: 'The checkpoint was read and refused before anything was uploaded.',
    retry: 'Look again',
    offersCpu: false,
  },
  DeviceLostError: {
    title: 'The GPU went away',
    advice: 'Its driver was reset or its device taken. The game waits exactly where it was.',
    retry: 'Load the model again',
    offersCpu: true,
  },
  OutOfMemoryError: {
    title: 'Not enough GPU memory',
    advice: 'Closing other tabs may help.',
    retry: 'Try again',
    offersCpu: true,
  },
  UnsupportedError: {
    title: 'This device cannot run the model',
    advice: 'The portable backend on the CPU runs everywhere, only slower.',
    retry: 'Try again',
    offersCpu: true,
  },
};

const otherText: FailureText = {
  title: 'The model stopped',
  advice: 'The game waits exactly where it was.',
  retry: 'Load the model again',
  offersCpu: true,
};

/** What to tell of a failure and what to offer, by the runtime's error class. */
export function describeFailure({ name, message }: Failure): FailureText {
  if (name === 'ShapeError') return describeFailure({ name: 'FormatError', message });
  return texts[name] ?? otherText;
}
