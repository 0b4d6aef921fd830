/**
 * Every error the runtime throws on purpose. A message names the tensor, file or option, what was expected and what was found; the
 * same facts are fields, so that a caller need not parse text.
 */

/** Base of all typed errors, so that `error instanceof TrominoError` separates bad input from bugs. */
export class TrominoError extends Error {
  override name = 'TrominoError';
}

/** A shape, rank or length that does not fit what an operation or a checkpoint promises. */
export class ShapeError extends TrominoError {
  override name = 'ShapeError';
  readonly subject: string;
  readonly expected: string;
  readonly found: string;

  constructor(subject: string, expected: string, found: string) {
    super(`${subject}: expected ${expected}, found ${found}`);
    this.subject = subject;
    this.expected = expected;
    this.found = found;
  }
}

/** Bytes or JSON that break their format. `offsetBytes` is where in the file, when one place can be named. */
export class FormatError extends TrominoError {
  override name = 'FormatError';
  readonly file: string;
  readonly offsetBytes: number | undefined;

  constructor(file: string, problem: string, offsetBytes?: number) {
    super(`${file}: ${problem}${offsetBytes === undefined ? '' : ` (at byte ${offsetBytes})`}`);
    this.file = file;
    this.offsetBytes = offsetBytes;
  }
}

/** A file that the checkpoint needs and the source does not have, or that could not be read. */
export class SourceError extends TrominoError {
  override name = 'SourceError';
  readonly file: string;

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options);
    this.file = file;
  }
}

/** A well-formed request for something that this build or this adapter does not do. */
export class UnsupportedError extends TrominoError {
  override name = 'UnsupportedError';
  readonly feature: string;

  constructor(feature: string, detail: string) {
    super(`${feature}: ${detail}`);
    this.feature = feature;
  }
}

/** An argument of a public call that has no meaning. */
export class OptionError extends TrominoError {
  override name = 'OptionError';
  readonly option: string;
  readonly expected: string;
  readonly found: string;

  constructor(option: string, expected: string, found: string) {
    super(`${option}: expected ${expected}, found ${found}`);
    this.option = option;
    this.expected = expected;
    this.found = found;
  }
}

/** The run would take, or took, more bytes than there are or than the caller allows. */
export class OutOfMemoryError extends TrominoError {
  override name = 'OutOfMemoryError';
  /** What was to be allocated. */
  readonly subject: string;
  readonly neededBytes: number;
  /** What the caller allows; undefined where it was the device that refused. */
  readonly budgetBytes: number | undefined;

  constructor(subject: string, neededBytes: number, budgetBytes?: number) {
    const allowed =
      budgetBytes === undefined ? 'the device refused the allocation' : `${budgetBytes} bytes are allowed`;
    super(`${subject}: ${neededBytes} bytes are needed, ${allowed}`);
    this.subject = subject;
    this.neededBytes = neededBytes;
    this.budgetBytes = budgetBytes;
  }
}

/** The GPU device is gone: driver reset, tab in the background, or `destroy()`. */
export class DeviceLostError extends TrominoError {
  override name = 'DeviceLostError';
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(`the GPU device was lost (${reason}): ${detail}`);
    this.reason = reason;
  }
}

/** The GPU refused a pipeline, a bind group or a submission: a bug of ours or of the driver, never bad input. */
export class GpuError extends TrominoError {
  override name = 'GpuError';
}

/** A model gave a score that is no finite number: its weights hold such numbers, or values on the way went over f32's range. */
export class ScoreError extends TrominoError {
  override name = 'ScoreError';
  /** Place of the score among its row's. */
  readonly index: number;
  readonly found: number;

  constructor(index: number, found: number) {
    super(`score ${index}: expected a finite number, found ${found}; are the weights whole?`);
    this.index = index;
    this.found = found;
  }
}

/** An object was used after its `dispose()`. */
export class DisposedError extends TrominoError {
  override name = 'DisposedError';

  constructor(subject: string) {
    super(`${subject} was used after dispose()`);
  }
}
