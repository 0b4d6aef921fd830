import { constants } from 'node:os';
import process from 'node:process';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { TrominoError } from 'tromino';
import { failureLine } from './failure.ts';
import { backendNames, type BackendName } from './sessions/session.ts';

const exitCodes = { ok: 0, failed: 1, usage: 2 };

/**
 * Runs the `tromino` command and ends the process with its exit code: 0 when all is well, 1 when something failed (one line on
 * standard error says what), 2 when the command line cannot be read.
 */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.on('error', () => process.exit(exitCodes.ok)); // The reader of a pipe, `head` say, has seen enough.
  const code = await runCommand(args);
  // Standard output may still hold text, and a browser's or a driver's leftovers must not keep the process alive.
  process.stdout.write('', () => process.exit(code));
}

async function runCommand(args: readonly string[]): Promise<number> {
  let code = exitCodes.ok;
  const finish = (result: number): void => {
    code = result;
  };
  const program = createProgram({ signal: signalOfInterrupts(), finish });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (error instanceof InterruptedError) return error.exitCode;
    console.error(failureLine(error));
    return exitCodes.failed;
  }
}

/** The user, or whoever runs the command, wants it to end. */
class InterruptedError extends TrominoError {
  override name = 'InterruptedError';
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal]; // As a shell would report it.
  }
}

/** Aborts on the first request to end, so that browsers and profiles are cleaned up; a second one ends the process at once. */
function signalOfInterrupts(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      controller.abort(new InterruptedError(name));
    });
  }
  return controller.signal;
}

interface CommonFlags {
  readonly backend: BackendName;
  readonly json?: boolean;
}

interface RunFlags extends CommonFlags {
  readonly text?: string;
  readonly ids?: number[];
  readonly maxNewTokens?: number;
  readonly tap?: true;
  readonly profile?: true;
  readonly repeats: number;
  readonly question?: string[];
  readonly topK?: number;
}

/** What every command needs to end well. */
interface Context {
  readonly signal: AbortSignal;
  /** Takes the exit code. */
  readonly finish: (code: number) => void;
}

/** The command line. A command's module is imported when it is chosen, so that `--help` is quick. */
function createProgram(context: Context): Command {
  const program = new Command('tromino')
    .description('Runs small transformer task models from Hugging Face checkpoints, on WebGPU.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  addRun(program, context);
  addVerify(program, context);
  addInspect(program, context);
  addQuantize(program, context);
  return program;
}

function addRun(program: Command, context: Context): void {
  checkpointCommand(
    program,
    'run <folder>',
    'classify a text, continue it, find answers or entities in it, or make it a vector',
  )
    .option('--text <text>', 'the input, to be tokenised')
    .option('--ids <ids>', 'the input as token ids, separated by commas', parseIds)
    .option(
      '--max-new-tokens <number>',
      'how many tokens a generator may add (default: 64)',
      parsePositiveInteger,
    )
    .option('--tap', 'show what each step wrote, with a fingerprint of its bits')
    .option('--profile', "show how long each step takes on the device's own clock")
    .option('--repeats <number>', 'how often a profile runs each step', parsePositiveInteger, 20)
    .option('--question <question>', 'what an extractor is asked; may be given several times', collect)
    .option('--top-k <number>', 'how many answers an extractor gives (default: 1)', parsePositiveInteger)
    .action(async (folder: string, flags: RunFlags, command: Command) => {
      if ((flags.text === undefined) === (flags.ids === undefined))
        command.error("error: give either '--text' or '--ids'");
      if (flags.tap && flags.profile) command.error("error: give either '--tap' or '--profile'");
      context.finish(await runOrTrace(folder, flags, context.signal));
    });
}

async function runOrTrace(folder: string, flags: RunFlags, signal: AbortSignal): Promise<number> {
  const { backend, repeats, maxNewTokens, topK, json = false, question: questions = [] } = flags;
  const common = { backend, input: flags.text ?? flags.ids ?? [], questions, json, signal };
  if (flags.tap || flags.profile) {
    const { tap, profile } = await import('./commands/trace.ts');
    return await (flags.tap ? tap(folder, common) : profile(folder, { ...common, repeats }));
  }
  const { run } = await import('./commands/run.ts');
  return await run(folder, { ...common, maxNewTokens, topK });
}

function addVerify(program: Command, { signal, finish }: Context): void {
  checkpointCommand(
    program,
    'verify <folders...>',
    "compare outputs with the references in each folder's golden.json",
  ).action(async (folders: string[], { backend, json = false }: CommonFlags) => {
    const { verify } = await import('./commands/verify.ts');
    finish(await verify(folders, { backend, json, signal }));
  });
}

function addInspect(program: Command, { signal, finish }: Context): void {
  checkpointCommand(
    program,
    'inspect <folder>',
    'show configuration, tensors and the bytes that a run will take',
  )
    .option('--tokens <number>', 'number of tokens to plan for', parsePositiveInteger, 128)
    .action(async (folder: string, flags: CommonFlags & { tokens: number }) => {
      const { backend, tokens: numTokens, json = false } = flags;
      const { inspect } = await import('./commands/inspect.ts');
      finish(await inspect(folder, { backend, numTokens, json, signal }));
    });
}

function addQuantize(program: Command, { signal, finish }: Context): void {
  program
    .command('quantize <folder> <out>')
    .description(
      'write a copy of a checkpoint with its projections in four bits, as bitsandbytes stores them',
    )
    .addOption(
      new Option('--to <format>', 'format of the projections').choices(['nf4']).makeOptionMandatory(),
    )
    .option('--block <number>', 'weights that share a scale, 32, 64, … 4096', parsePositiveInteger, 64)
    .option('--double', 'quantise the scales too')
    .action(async (folder: string, out: string, flags: { block: number; double?: true }) => {
      const { quantize } = await import('./commands/quantize.ts');
      const format = { blockSize: flags.block, doubleQuantization: flags.double ?? false };
      finish(await quantize(folder, out, { ...format, signal }));
    });
}

/** A command on checkpoints, which are folders on disk or their URLs. */
function checkpointCommand(program: Command, nameAndArguments: string, description: string): Command {
  const backend = new Option(
    '--backend <name>',
    'headless Chromium (webgpu), Node through Dawn (dawn), or no GPU (cpu)',
  );
  return program
    .command(nameAndArguments)
    .description(description)
    .addOption(backend.choices(backendNames).default('webgpu'))
    .option('--json', 'print one JSON document instead of text');
}

/** Gathers the values of an option that may be given several times. */
function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function parseIds(text: string): number[] {
  const ids = text.split(',').map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : NaN));
  if (!ids.every((id) => Number.isSafeInteger(id)))
    throw new InvalidArgumentError('Expected numbers separated by commas.');
  return ids;
}

function parsePositiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value === 0)
    throw new InvalidArgumentError('Expected a positive whole number.');
  return value;
}
