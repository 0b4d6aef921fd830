import type { Profile } from '../exec/profile.ts';
import type { OnStep } from '../exec/tap.ts';
import { packBatch, splitByRow, type PackedBatch, type TokenRow } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import type { AdapterDescription } from '../gpu/adapter.ts';
import type { Plan } from '../plan/plan.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { abortable, throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';
import { DisposedError, OptionError } from '../util/errors.ts';
import type { MemoryReport } from '../util/memory_account.ts';
import { optionNames, requireKnownOptions } from '../util/option_names.ts';
import { callOptionNames, checkCallback, checkCallOptions, type CallOptions } from './call_options.ts';
import { batchShape, rowOptionNames, type RowOptions } from './batch_shape.ts';
import type { ModelOutput } from '../models/model_definition.ts';
import { isBatch, tokenizeInput, type TextOrIds, type TokenizedInput } from './inputs.ts';
import type { LoadedModel } from './load_model.ts';

/** What all loaded models have in common, whatever their task. Calls queue: results come in call order. */
export interface Model extends Disposable {
  /** transformers' `model_type`. */
  readonly family: string;
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** Tokens that one input may have. */
  readonly maxTokens: number;
  readonly tokenizer: Tokenizer | undefined;
  /** What a call with rows of these lengths would do, and the exact bytes it will take. Nothing is allocated. */
  plan(rowLengths: number | readonly number[], options?: RowOptions): Plan;
  /** Compiles and allocates for rows of these lengths, so that the first call is as fast as the next. */
  prepare(rowLengths: number | readonly number[], options?: CallOptions & RowOptions): Promise<void>;
  /** Bytes that this model owns, now and at most so far. */
  memory(): MemoryReport;
  /** Runs one input step by step and hands over what each step wrote, to find where two builds or backends first differ. */
  tap(input: TextOrIds, onStep: OnStep, options?: CallOptions): Promise<void>;
  /** Times each step on the device's own clock. Needs `profiling: true` at load, and a WebGPU device. */
  profile(input: TextOrIds, options?: ProfileOptions): Promise<Profile>;
  /** Gives back everything but the weights. */
  release(): Promise<void>;
  /** Gives everything back, at once. Calls that are running or waiting reject with a DisposedError. */
  dispose(): void;
}

/** How a profile is taken. */
export interface ProfileOptions extends CallOptions {
  /** Times that every step is run, 20 by default: browsers quantise the device's clock, and more repeats average it out. */
  readonly repeats?: number;
}

const prepareOptionNames = [...callOptionNames, ...rowOptionNames];
const profileOptionNames = optionNames<ProfileOptions>({ signal: true, repeats: true });

/** What a model computed of one input, with what the tokenizer said of it. */
export interface ScoredInput {
  readonly input: TokenizedInput;
  /** A vector of the output's width, or one for each token that the mask marks real. */
  readonly scores: Float32Array;
}

/** The part of every task that is the same: inputs to a batch, a batch to scores. */
export class ScoringModel implements Model {
  readonly #model: LoadedModel;
  readonly #disposal = new AbortController();

  constructor(model: LoadedModel) {
    this.#model = model;
  }

  get family(): string {
    return this.#model.definition.family;
  }

  get backend(): 'webgpu' | 'cpu' {
    return this.#model.engine.backend;
  }

  get adapter(): AdapterDescription {
    return this.#model.engine.adapter;
  }

  get maxTokens(): number {
    return this.#model.maxTokens;
  }

  get tokenizer(): Tokenizer | undefined {
    return this.#model.tokenizer;
  }

  plan(rowLengths: number | readonly number[], options: RowOptions = {}): Plan {
    requireKnownOptions(options, rowOptionNames);
    return this.#model.engine.plan(this.#shape(rowLengths, options, 'plan(rowLengths)'));
  }

  async prepare(
    rowLengths: number | readonly number[],
    options: CallOptions & RowOptions = {},
  ): Promise<void> {
    this.checkCall(options, prepareOptionNames);
    await this.#model.engine.prepare(this.#shape(rowLengths, options, 'prepare(rowLengths)'), options.signal);
  }

  #shape(rowLengths: number | readonly number[], options: RowOptions, argument: string): BatchShape {
    const { batchRules } = this.#model.definition;
    return batchShape(rowLengths, { maxTokens: this.maxTokens, batchRules }, options, argument);
  }

  memory(): MemoryReport {
    return this.#model.engine.memory();
  }

  async tap(input: TextOrIds, onStep: OnStep, options: CallOptions = {}): Promise<void> {
    this.checkCall(options);
    checkCallback('onStep', onStep);
    // A callback that never returns must not outlive the model.
    const untilDisposed: OnStep = async (tapped) => {
      await abortable(Promise.resolve(onStep(tapped)), this.#disposal.signal);
    };
    await this.#model.engine.tap(this.#pack(input), untilDisposed, options.signal);
  }

  async profile(input: TextOrIds, options: ProfileOptions = {}): Promise<Profile> {
    this.checkCall(options, profileOptionNames);
    const { repeats = 20, signal } = options;
    if (!Number.isInteger(repeats) || repeats < 1)
      throw new OptionError('repeats', 'an integer from 1', String(repeats));
    return await this.#model.engine.profile(this.#pack(input), repeats, signal);
  }

  #pack(input: TextOrIds): PackedBatch {
    return packBatch([this.#tokenize(input, 'input')], this.#model.definition.batchRules);
  }

  release(): Promise<void> {
    return this.#model.engine.release();
  }

  dispose(): void {
    this.#disposal.abort(new DisposedError('the model'));
    this.#model.engine.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Segments that a token may belong to. */
  protected get numTypes(): number {
    return this.#model.definition.batchRules.numTypes;
  }

  /** @throws OptionError where the checkpoint has none, so that the option `name` cannot be a text. */
  protected requireTokenizer(name: string): Tokenizer {
    if (this.tokenizer) return this.tokenizer;
    throw new OptionError(name, 'a checkpoint with a tokenizer.json', 'one without');
  }

  /**
   * What holds for every call, also for one that has nothing to do.
   * @param known names of all options that the call has.
   */
  protected checkCall(options: CallOptions, known?: readonly string[]): void {
    checkCallOptions(options, known);
    this.#throwIfEnded(options);
  }

  #throwIfEnded({ signal }: CallOptions): void {
    throwIfAborted(this.#disposal.signal);
    throwIfAborted(signal);
  }

  /**
   * Runs all inputs as one batch.
   * @param wanted one of the definition's outputs; its first where left out.
   */
  protected async score(
    input: TextOrIds | readonly TextOrIds[],
    options: CallOptions,
    wanted?: string,
  ): Promise<ScoredInput[]> {
    this.checkCall(options);
    const rows = this.rows(input);
    const vectors = await this.run(rows, options, { output: wanted });
    return rows.map((row, index) => ({ input: row, scores: must(vectors[index], 'vectors') }));
  }

  /** Inputs as rows of tokens. */
  protected rows(input: TextOrIds | readonly TextOrIds[]): TokenizedInput[] {
    return isBatch(input)
      ? Array.from(input, (one, index) => this.#tokenize(one, `inputs[${index}]`))
      : [this.#tokenize(input, 'input')];
  }

  /**
   * Runs rows as one batch.
   * @param wanted one of the definition's outputs, its first where left out, and what to search for.
   * @returns for each row, the vectors of the output that are its.
   */
  protected async run(
    rows: readonly TokenRow[],
    options: CallOptions,
    wanted: Pick<BatchShape, 'output' | 'spanSearch'>,
  ): Promise<Float32Array[]> {
    this.#throwIfEnded(options);
    if (rows.length === 0) return [];
    const { definition, engine } = this.#model;
    const isWanted = ({ name }: ModelOutput): boolean =>
      wanted.output === undefined || name === wanted.output;
    const output = must(definition.outputs.find(isWanted), wanted.output ?? 'output');
    const packed = packBatch(rows, definition.batchRules);
    // The first output goes without a name, as it does in `prepare()`: a shape has one plan.
    const named = output === definition.outputs[0] ? undefined : output.name;
    const batch = { ...packed, shape: { ...packed.shape, ...wanted, output: named } };
    const values = await engine.run(batch, options.signal);
    return splitByRow(batch, values, output.per);
  }

  #tokenize(input: TextOrIds, name: string): TokenizedInput {
    const { tokenizer, definition, maxTokens } = this.#model;
    return tokenizeInput(input, name, tokenizer, { maxTokens, numTypes: definition.batchRules.numTypes });
  }
}
