export { BOARD_HEIGHT, BOARD_WIDTH, restingRow } from './board.ts';
export {
  Action,
  ACTIONS,
  boardRows,
  canHold,
  isLegal,
  legalActions,
  legalMask,
  newGame,
  NUM_ACTIONS,
  STEPS_PER_ROW,
  step,
  type GameState,
} from './game.ts';
export { PIECES, pieceAt, shapeAt, type Piece, type Shape } from './pieces.ts';
export {
  bestLegalAction,
  playGames,
  randomPolicy,
  teacherPolicy,
  type GameResult,
  type PlayOptions,
  type Policy,
} from './players.ts';
export { PROMPT_CHARACTERS, PROMPT_TOKENS, SLOT_POSITIONS, writePrompt } from './prompt.ts';
export { RandomSource } from './random.ts';
export { NUM_SLOTS, slotOf, Teacher, type Decision, type Placement } from './teacher.ts';
