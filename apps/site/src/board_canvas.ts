import {
  Action,
  BOARD_HEIGHT,
  BOARD_WIDTH,
  boardRows,
  restingRow,
  shapeAt,
  type GameState,
} from '@tromino/strata';
import { mineralColor, TileSet } from './minerals.ts';
import { cellIndex, cellsOf, transitionOf, type PlacedPiece, type Transition } from './transition.ts';
import { Bedrock, BEDROCK_HEIGHT, paintWell, readWellColors, type WellColors } from './well.ts';

const moveMs = 70;
const lockMs = 240;
const clearMs = 560;
/** Parts of a clearing animation: until here the piece falls, until there complete rows crumble; then the rest settles. */
const fallEnd = 0.18;
const crumbleEnd = 0.5;

interface Animation {
  readonly transition: Transition;
  readonly startMs: number;
  readonly durationMs: number;
}

/** Draws the game. It draws when something changes or moves, never else, so that an idle page costs nothing. */
export class BoardCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #bedrock = new Bedrock();
  readonly #reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  #state: GameState;
  #animation: Animation | undefined;
  #frame: number | undefined;
  #cellPx = 1;
  #tiles = new TileSet(1);
  #colors: WellColors;
  #well: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, state: GameState) {
    this.#canvas = canvas;
    this.#context = context;
    this.#state = state;
    this.#colors = readWellColors(canvas);
    this.#well = paintWell(1, this.#colors);
    const resize = (): void => {
      this.#resize();
    };
    new ResizeObserver(resize).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', resize);
    this.#resize();
  }

  /** Shows a state at once: the start of a game. */
  reset(state: GameState): void {
    this.#state = state;
    this.#animation = undefined;
    this.#bedrock.clear();
    this.#requestFrame();
  }

  /** Shows how a step led to `after`. A step that comes early cuts the last one's animation short. */
  play(before: GameState, action: Action, after: GameState): void {
    const transition = transitionOf(before, action, after);
    for (const row of transition.clearedRows) {
      const cells = transition.filledCells.subarray(cellIndex(0, row), cellIndex(0, row + 1));
      this.#bedrock.press(Array.from(cells, (cell) => cell - 1));
    }
    this.#state = after;
    const durationMs =
      transition.locked === undefined ? moveMs : transition.clearedRows.length > 0 ? clearMs : lockMs;
    this.#animation = this.#reducedMotion.matches
      ? undefined
      : { transition, startMs: performance.now(), durationMs };
    this.#requestFrame();
  }

  #resize(): void {
    const widthPx = Math.max(1, Math.round(this.#canvas.clientWidth * devicePixelRatio));
    this.#cellPx = widthPx / BOARD_WIDTH;
    this.#canvas.width = widthPx;
    this.#canvas.height = Math.round(this.#cellPx * (BOARD_HEIGHT + BEDROCK_HEIGHT));
    this.#tiles = new TileSet(this.#cellPx);
    this.#colors = readWellColors(this.#canvas);
    this.#well = paintWell(this.#cellPx, this.#colors);
    // At once: a resized canvas is blank until it is drawn.
    this.#draw(performance.now());
  }

  #requestFrame(): void {
    this.#frame ??= requestAnimationFrame((nowMs) => {
      this.#frame = undefined;
      this.#draw(nowMs);
      if (this.#animation !== undefined) this.#requestFrame();
    });
  }

  #draw(nowMs: number): void {
    this.#context.drawImage(this.#well, 0, 0);
    this.#bedrock.paint(this.#context, this.#cellPx);
    const animation = this.#animation;
    const time =
      animation === undefined ? 1 : Math.max(0, (nowMs - animation.startMs) / animation.durationMs);
    if (animation === undefined || time >= 1) {
      this.#animation = undefined;
      this.#drawStack();
      this.#drawFalling(this.#state, 1);
    } else if (animation.transition.locked === undefined) {
      this.#drawStack();
      this.#drawFalling(between(animation.transition.movedFrom, this.#state, easeOut(time)), 1);
    } else if (animation.transition.clearedRows.length === 0) {
      this.#drawLock(animation.transition, animation.transition.locked, time);
    } else {
      this.#drawClear(animation.transition, animation.transition.locked, time);
    }
  }

  #drawStack(): void {
    this.#state.cells.forEach((cell, index) => {
      if (cell !== 0) this.#drawCell(cell - 1, index % BOARD_WIDTH, Math.floor(index / BOARD_WIDTH));
    });
  }

  /** The falling piece over the ghost of where it would come to rest. */
  #drawFalling(place: PlacedPiece, alpha: number): void {
    if (this.#state.over) return;
    const { piece, rotation, column, row } = this.#state;
    const ghostRow = restingRow(boardRows(this.#state), shapeAt(piece, rotation), column, row);
    this.#context.globalAlpha = alpha;
    this.#drawGhost({ piece, rotation, column, row: ghostRow });
    this.#drawPiece(place);
    this.#context.globalAlpha = 1;
  }

  #drawLock(transition: Transition, locked: PlacedPiece & { fellFromRow: number }, time: number): void {
    const landed = Math.min(1, time / 0.4);
    transition.filledCells.forEach((cell, index) => {
      const column = index % BOARD_WIDTH;
      const row = Math.floor(index / BOARD_WIDTH);
      if (cell !== 0 && !covers(locked, column, row)) this.#drawCell(cell - 1, column, row);
    });
    this.#drawTrail(locked, 1 - time);
    this.#drawPiece({ ...locked, row: lerp(locked.fellFromRow, locked.row, easeIn(landed)) });
    if (landed === 1) this.#drawDust(locked, (time - 0.4) / 0.6);
    this.#drawFalling(this.#state, Math.max(0, (time - 0.4) / 0.6));
  }

  #drawClear(transition: Transition, locked: PlacedPiece & { fellFromRow: number }, time: number): void {
    const landed = Math.min(1, time / fallEnd);
    const crumbled = clamp((time - fallEnd) / (crumbleEnd - fallEnd));
    const settled = clamp((time - crumbleEnd) / (1 - crumbleEnd));
    transition.filledCells.forEach((cell, index) => {
      const column = index % BOARD_WIDTH;
      const row = Math.floor(index / BOARD_WIDTH);
      if (cell === 0 || (landed < 1 && covers(locked, column, row))) return;
      if (transition.clearedRows.includes(row)) {
        // From the middle outwards, as a layer gives way.
        const delay = Math.abs(column - (BOARD_WIDTH - 1) / 2) / BOARD_WIDTH;
        this.#drawCrumbling(cell - 1, column, row, clamp(crumbled * 1.5 - delay));
      } else {
        const below = transition.clearedRows.filter((cleared) => cleared < row).length;
        this.#drawCell(cell - 1, column, row - below * bounceOut(settled));
      }
    });
    if (landed < 1) this.#drawPiece({ ...locked, row: lerp(locked.fellFromRow, locked.row, easeIn(landed)) });
    this.#drawFalling(this.#state, settled);
  }

  #drawPiece(place: PlacedPiece): void {
    for (const { column, row } of cellsOf({ ...place, column: 0, row: 0 })) {
      const { x, y } = this.#corner(place.column + column, place.row + row);
      this.#context.drawImage(this.#tiles.tile(place.piece, column, row), x, y);
    }
  }

  #drawCell(piece: number, column: number, row: number): void {
    const { x, y } = this.#corner(column, row);
    const depth = (1 - row / BOARD_HEIGHT) ** 2;
    this.#context.drawImage(this.#tiles.tile(piece, column, Math.ceil(row), depth), x, y);
  }

  #drawCrumbling(piece: number, column: number, row: number, crumbled: number): void {
    const { x, y } = this.#corner(column, row);
    const cell = this.#cellPx;
    const height = cell * (1 - crumbled);
    this.#context.drawImage(this.#tiles.tile(piece, column, row), x, y + cell - height, cell, height);
    this.#context.fillStyle = this.#colors.dust;
    this.#context.globalAlpha = Math.sin(Math.PI * crumbled) * 0.8;
    this.#context.fillRect(x, y + cell - height, cell, height);
    this.#context.globalAlpha = 1;
  }

  #drawGhost(place: PlacedPiece): void {
    const inset = this.#cellPx * 0.09;
    const edge = this.#cellPx - 2 * inset;
    this.#context.lineWidth = Math.max(1, this.#cellPx * 0.055);
    for (const { column, row } of cellsOf(place)) {
      const { x, y } = this.#corner(column, row);
      this.#context.beginPath();
      this.#context.roundRect(x + inset, y + inset, edge, edge, this.#cellPx * 0.12);
      this.#context.fillStyle = mineralColor(place.piece, 0, 0.16);
      this.#context.fill();
      this.#context.strokeStyle = this.#colors.ghost;
      this.#context.stroke();
    }
  }

  /** A streak above a piece that was dropped from far. */
  #drawTrail(locked: PlacedPiece & { fellFromRow: number }, strength: number): void {
    if (locked.fellFromRow - locked.row < 2) return;
    const shape = shapeAt(locked.piece, locked.rotation);
    const top = this.#corner(locked.column, locked.fellFromRow + shape.height - 1);
    const bottom = this.#corner(locked.column, locked.row + shape.height - 1);
    const streak = this.#context.createLinearGradient(0, top.y, 0, bottom.y);
    streak.addColorStop(0, mineralColor(locked.piece, 10, 0));
    streak.addColorStop(1, mineralColor(locked.piece, 10, 0.32 * strength));
    this.#context.fillStyle = streak;
    this.#context.fillRect(top.x, top.y, shape.width * this.#cellPx, bottom.y - top.y);
  }

  /** Grains thrown up where a piece lands. */
  #drawDust(locked: PlacedPiece, time: number): void {
    const { width } = shapeAt(locked.piece, locked.rotation);
    const { x, y } = this.#corner(locked.column, locked.row);
    const numGrains = 4 + width * 2;
    this.#context.fillStyle = this.#colors.dust;
    this.#context.globalAlpha = 0.7 * (1 - time);
    for (let i = 0; i < numGrains; i++) {
      const along = i / (numGrains - 1);
      const throwX = (along - 0.5) * 1.3 * time;
      const throwY = (0.35 + 0.35 * Math.abs(Math.sin(i * 2.4))) * Math.sin(Math.PI * time);
      const size = this.#cellPx * (0.05 + 0.05 * Math.abs(Math.sin(i * 5.1)));
      this.#context.fillRect(
        x + (along * width + throwX) * this.#cellPx,
        y + this.#cellPx * (0.97 - throwY),
        size,
        size,
      );
    }
    this.#context.globalAlpha = 1;
  }

  /** The upper left corner of a cell in device pixels; rows count from the floor. */
  #corner(column: number, row: number): { x: number; y: number } {
    return { x: column * this.#cellPx, y: (BOARD_HEIGHT - 1 - row) * this.#cellPx };
  }
}

function between(from: PlacedPiece | undefined, to: PlacedPiece, time: number): PlacedPiece {
  if (from === undefined || from.rotation !== to.rotation) return to;
  return { ...to, column: lerp(from.column, to.column, time), row: lerp(from.row, to.row, time) };
}

function covers(place: PlacedPiece, column: number, row: number): boolean {
  return cellsOf(place).some((cell) => cell.column === column && cell.row === row);
}

const lerp = (from: number, to: number, time: number): number => from + (to - from) * time;
const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const easeOut = (time: number): number => 1 - (1 - time) ** 3;
const easeIn = (time: number): number => time * time;

/** Falls, and settles with one small bounce. */
function bounceOut(time: number): number {
  if (time < 0.6) return easeIn(time / 0.6);
  return 1 - 0.09 * Math.sin((Math.PI * (time - 0.6)) / 0.4);
}
