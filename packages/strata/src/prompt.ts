import {
  BOARD_HEIGHT,
  BOARD_WIDTH,
  buriedCells,
  columnHeights,
  completedRows,
  landingRow,
  restingRow,
} from './board.ts';
import { boardRows, canHold, pieceAfterHold, pieceLetter, type GameState } from './game.ts';
import { NUM_ROTATIONS, pieceAt, PIECES, shapeAt } from './pieces.ts';

/** Tokens of every prompt: one for each character, after the token that begins a sequence. */
export const PROMPT_TOKENS = 346;
/** Characters of every prompt. */
export const PROMPT_CHARACTERS = PROMPT_TOKENS - 1;

const LOWER_ROWS = 'abcdefghijklmnopqrst';
const UPPER_ROWS = LOWER_ROWS.toUpperCase();
const DIGITS = '0123456789';
/** Spawn rotation, then each quarter turn clockwise. */
const ROTATION_ARROWS = '^>v<';
const EMPTY = '.';
const SEDIMENT = '#';
const FALLING = '@';
const GHOST = ':';
const NONE = '-';
const HOLD_FREE = '+';
const END = '?';
const PIECE_LETTERS = PIECES.map(({ letter }) => letter).join('');

/** Special tokens, whose ids are their indices. */
const SPECIAL_TOKENS = ['<pad>', '<s>', '</s>', '<unk>'] as const;
/** Id of the token that begins every prompt. */
const BEGIN_ID = 1;

/** All characters of prompts; the id of a character is its index plus the number of special tokens. */
const ALPHABET = [
  ...new Set(
    `\n ${EMPTY}${SEDIMENT}${FALLING}${GHOST}${NONE}${HOLD_FREE}${END}${ROTATION_ARROWS}${DIGITS}${LOWER_ROWS}${UPPER_ROWS}${PIECE_LETTERS}`,
  ),
];

/** Size of the model's vocabulary. */
export const VOCABULARY_SIZE = SPECIAL_TOKENS.length + ALPHABET.length;

/** The piece and everything about it: `x^3r2 V+ Uw` is piece, rotation, column, row, fall counter, hold, queue. */
function headerLine(state: GameState): string {
  const piece = `${pieceLetter(state.piece)}${ROTATION_ARROWS[state.rotation] ?? ''}`;
  const place = `${DIGITS[state.column] ?? ''}${LOWER_ROWS[state.row] ?? ''}${DIGITS[state.fallCounter] ?? ''}`;
  const hold = `${pieceLetter(state.hold)}${canHold(state) ? HOLD_FREE : NONE}`;
  return `${piece}${place} ${hold} ${pieceLetter(state.queue[0])}${pieceLetter(state.queue[1])}\n`;
}

/** The board from the top row down, with the falling piece and the ghost of its hard drop. */
function boardLines(state: GameState): string {
  const rows = boardRows(state);
  const shape = shapeAt(state.piece, state.rotation);
  const ghostRow = restingRow(rows, shape, state.column, state.row);
  let text = '';
  for (let row = BOARD_HEIGHT - 1; row >= 0; row--) {
    const falling = (shape.rows[row - state.row] ?? 0) << state.column;
    const ghost = (shape.rows[row - ghostRow] ?? 0) << state.column;
    const filled = rows[row] ?? 0;
    for (let bit = 1; bit < 1 << BOARD_WIDTH; bit <<= 1) {
      text += falling & bit ? FALLING : filled & bit ? SEDIMENT : ghost & bit ? GHOST : EMPTY;
    }
    text += '\n';
  }
  return text;
}

/** Two lines about the columns: their heights (0, then a…t) and how many gaps each has below its top. */
function columnLines(state: GameState, heights: Uint8Array): string {
  const rows = boardRows(state);
  let heightLine = '';
  let gapLine = '';
  for (let column = 0; column < BOARD_WIDTH; column++) {
    const height = heights[column] ?? 0;
    let filled = 0;
    for (let row = 0; row < height; row++) filled += ((rows[row] ?? 0) >> column) & 1;
    heightLine += height === 0 ? '0' : (LOWER_ROWS[height - 1] ?? '');
    gapLine += DIGITS[Math.min(height - filled, 9)] ?? '';
  }
  return `${heightLine}\n${gapLine}\n`;
}

/**
 * One line about the hard drops of a piece: per rotation its arrow and a character for each column of its left edge.
 *
 * A digit says how many rows the drop completes, a small letter in which row it lands, a capital letter the same where it
 * buries an empty cell (completing rows or not), `-` that there is no such drop or that an earlier rotation has it.
 */
function menuLine(state: GameState, heights: Uint8Array, piece: number | null): string {
  const rows = boardRows(state);
  let text = '';
  for (let rotation = 0; rotation < NUM_ROTATIONS; rotation++) {
    text += ROTATION_ARROWS[rotation] ?? '';
    if (piece === null || pieceAt(piece).canonical[rotation] !== rotation) {
      text += NONE.repeat(BOARD_WIDTH);
      continue;
    }
    const shape = shapeAt(piece, rotation);
    for (let column = 0; column < BOARD_WIDTH; column++) {
      const row = landingRow(heights, shape, column);
      if (row < 0) text += NONE;
      else if (buriedCells(heights, shape, column, row) > 0) text += UPPER_ROWS[row] ?? '';
      else text += DIGITS[completedRows(rows, shape, column, row)]?.replace('0', LOWER_ROWS[row] ?? '') ?? '';
    }
  }
  return `${text}\n`;
}

/**
 * Writes a state as the text the model reads: always {@link PROMPT_CHARACTERS} characters.
 *
 * The order serves a causal reader: first what falls and what comes, then the board, then what can be done with it, and
 * last one fixed character whose scores are the answer.
 */
export function writePrompt(state: GameState): string {
  const heights = columnHeights(boardRows(state), new Uint8Array(BOARD_WIDTH));
  const menus =
    menuLine(state, heights, state.piece) +
    menuLine(state, heights, canHold(state) ? pieceAfterHold(state) : null);
  return `${headerLine(state)}${boardLines(state)}${columnLines(state, heights)}${menus}${END}`;
}

/** Token positions (the beginning token is 0) of the menu cells, by slot. */
export const SLOT_POSITIONS: readonly number[] = Array.from(
  { length: 2 * NUM_ROTATIONS * BOARD_WIDTH },
  (_, slot) => {
    const menuLength = NUM_ROTATIONS * (BOARD_WIDTH + 1) + 1;
    const firstMenu = PROMPT_TOKENS - 1 - 2 * menuLength;
    const menu = Math.floor(slot / (NUM_ROTATIONS * BOARD_WIDTH));
    const rotation = Math.floor(slot / BOARD_WIDTH) % NUM_ROTATIONS;
    return firstMenu + menu * menuLength + rotation * (BOARD_WIDTH + 1) + 1 + (slot % BOARD_WIDTH);
  },
);

const idByCode = new Uint8Array(128);
ALPHABET.forEach((character, index) => (idByCode[character.charCodeAt(0)] = SPECIAL_TOKENS.length + index));

/** The token ids of a prompt, as the model's tokenizer gives them. */
export function encodePrompt(text: string): Uint8Array {
  const ids = new Uint8Array(text.length + 1);
  ids[0] = BEGIN_ID;
  for (let i = 0; i < text.length; i++) ids[i + 1] = idByCode[text.charCodeAt(i)] ?? 0;
  return ids;
}

/** The content of the model's `tokenizer.json`: one token for each character, in the Hugging Face format. */
export function tokenizerJson(): object {
  const special = SPECIAL_TOKENS.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const vocab = Object.fromEntries([...SPECIAL_TOKENS, ...ALPHABET].map((token, id) => [token, id]));
  const begin = { SpecialToken: { id: '<s>', type_id: 0 } };
  const sequence = (id: 'A' | 'B'): object => ({ Sequence: { id, type_id: 0 } });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: null,
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [begin, sequence('A')],
      pair: [begin, sequence('A'), sequence('B')],
      special_tokens: { '<s>': { id: '<s>', ids: [BEGIN_ID], tokens: ['<s>'] } },
    },
    decoder: { type: 'Fuse' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '<unk>',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges: [],
    },
  };
}

/** The content of the model's `tokenizer_config.json`. */
export function tokenizerConfigJson(): object {
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: '<s>',
    eos_token: '</s>',
    pad_token: '<pad>',
    unk_token: '<unk>',
    clean_up_tokenization_spaces: false,
    model_max_length: 512,
    padding_side: 'right',
  };
}
