import type { TokenRow } from '../graph/batch.ts';
import type { CheckpointSource } from '../io/checkpoint_files.ts';
import type { Span } from '../tokenizer/aligned_text.ts';
import type { WindowEncoding } from '../tokenizer/tokenizer.ts';
import { must } from '../util/assert.ts';
import { optionNames } from '../util/option_names.ts';
import type { CallOptions } from './call_options.ts';
import { indexOfLargest, toProbabilities } from './classifier.ts';
import type { TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';
import {
  defaultOverlap,
  inBatches,
  mapTexts,
  requireOverlap,
  requireTexts,
  rowOf,
  TextPlaces,
  type TextSpan,
} from './text_calls.ts';

/** Something that a text names, in UTF-16 units of it. */
export interface Entity extends TextSpan {
  /** The class without the prefix that says where in an entity a token stands: `PER` for `B-PER`. */
  readonly label: string;
  /** The mean probability of its tokens' classes. */
  readonly score: number;
}

/** How a text is tagged. */
export interface TagOptions extends CallOptions {
  /** Tokens that neighbouring windows share where a text is too long for the model, 128 by default, at most half a window. */
  readonly overlap?: number;
}

/** A loaded token classifier. */
export interface Tagger extends Model {
  readonly labels: readonly string[];
  /**
   * What a text names, in order. Neighbouring tokens of one class are one entity, unless a prefix (`B-`, or `E-`, `L-`, `S-`, `U-`) says that
   * a new one begins; tokens of the class `O` are none. A text that is too long for the model is read in windows that overlap, and each
   * token gets the class that it has where it stands farthest from an edge.
   */
  tag(text: string, options?: TagOptions): Promise<Entity[]>;
  /** The same of several texts. */
  tag(texts: readonly string[], options?: TagOptions): Promise<Entity[][]>;
  /**
   * Raw scores of each token that the attention mask marks real, in the order of the tokens, for every input. All inputs run as one batch;
   * each gets the bits that it would get alone. They are unchecked, as the device computed them.
   *
   * **Shapes** one array of [numTokens, labels] for each input.
   */
  tokenLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
}

/**
 * Loads a checkpoint with a token-classification head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadTagger(source: CheckpointSource, options: LoadOptions = {}): Promise<Tagger> {
  return new TokenTagger(await loadModel(source, 'tagger', options));
}

const tagOptionNames = optionNames<TagOptions>({ signal: true, overlap: true });

/** A part of a text. */
interface WindowRow extends TokenRow {
  readonly encoding: WindowEncoding;
  /** Place of its text. */
  readonly text: number;
}

class TokenTagger extends ScoringModel implements Tagger {
  readonly labels: readonly string[];

  constructor(model: LoadedModel) {
    super(model);
    this.labels = model.definition.labels;
  }

  tag(text: string, options?: TagOptions): Promise<Entity[]>;
  tag(texts: readonly string[], options?: TagOptions): Promise<Entity[][]>;
  async tag(text: string | readonly string[], options: TagOptions = {}): Promise<Entity[] | Entity[][]> {
    this.checkCall(options, tagOptionNames);
    requireOverlap(options.overlap, this.maxTokens);
    const { overlap = defaultOverlap } = options;
    const texts = requireTexts(text, 'text');
    const tokenizer = this.requireTokenizer('text');
    const rows = await mapTexts(texts, options.signal, (one, index) =>
      tokenizer
        .encodeWindows(one, { overlap, maxTokens: this.maxTokens })
        .filter(({ sequences }) => sequences.includes(0))
        .map((encoding): WindowRow => ({ ...rowOf(encoding, this.numTypes), encoding, text: index })),
    );
    const tagged = texts.map((): TaggedToken[] => []);
    for (const batch of inBatches(rows)) {
      const logits = await this.run(batch, options, { output: 'logits' });
      batch.forEach((row, i) => {
        addWindow(must(tagged[row.text], 'text'), row.encoding, must(logits[i], 'logits'), this.labels);
      });
    }
    const entities = texts.map((one, index) =>
      groupEntities(new TextPlaces(one), must(tagged[index], 'text')),
    );
    return typeof text === 'string' ? must(entities[0], 'entities') : entities;
  }

  async tokenLogits(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<Float32Array[]> {
    return (await this.score(inputs, options)).map(({ scores }) => scores);
  }
}

/** A token of the whole text with its likeliest class. */
export interface TaggedToken {
  readonly span: Span;
  readonly label: string;
  readonly probability: number;
  /** How many tokens stand between it and the nearer edge of the window that says so. */
  readonly depth: number;
}

/** @throws ScoreError where a score is no finite number. */
function addWindow(
  tagged: TaggedToken[],
  { sequences, spans, firstToken }: WindowEncoding,
  logits: Float32Array,
  labels: readonly string[],
): void {
  const [first, last] = [sequences.indexOf(0), sequences.lastIndexOf(0)];
  for (let column = first; column <= last; column++) {
    const place = firstToken + column - first;
    const depth = Math.min(column - first, last - column);
    if ((tagged[place]?.depth ?? -1) >= depth) continue;
    const scores = logits.subarray(column * labels.length, (column + 1) * labels.length);
    const best = indexOfLargest(scores);
    tagged[place] = {
      span: must(spans[column], 'span'),
      label: must(labels[best], 'label'),
      probability: must(toProbabilities(scores, 'softmax')[best], 'probability'),
      depth,
    };
  }
}

/** A class name's parts. `B` begins an entity, `E` and `L` end one, `S` and `U` do both. */
function readLabel(label: string): { readonly prefix: string; readonly name: string } {
  const match = /^([BIELSU])-(.+)$/.exec(label);
  return match
    ? { prefix: must(match[1], 'prefix'), name: must(match[2], 'name') }
    : { prefix: 'I', name: label };
}

/** Entities of a text from the classes of its tokens, in order. */
export function groupEntities(places: TextPlaces, tokens: readonly TaggedToken[]): Entity[] {
  const groups: { readonly name: string; readonly tokens: TaggedToken[] }[] = [];
  let isOpen = false;
  for (const token of tokens) {
    const { prefix, name } = readLabel(token.label);
    const last = groups.at(-1);
    if (name === 'O') isOpen = false;
    else {
      if (isOpen && last?.name === name && !'BSU'.includes(prefix)) last.tokens.push(token);
      else groups.push({ name, tokens: [token] });
      isOpen = !'ELSU'.includes(prefix);
    }
  }
  return groups.flatMap(({ name, tokens: own }) => {
    const span = places.span([must(own[0], 'token').span[0], must(own.at(-1), 'token').span[1]]);
    const score = own.reduce((sum, { probability }) => sum + probability, 0) / own.length;
    return span ? [{ label: name, ...span, score }] : [];
  });
}
