import { BOARD_HEIGHT, BOARD_WIDTH, RandomSource } from '@tromino/strata';
import { mineralColor } from './minerals.ts';

/** Height of the bedrock strip under the board, in cells. */
export const BEDROCK_HEIGHT = 1.5;

/** The page's colours for the well, read from its style sheet. */
export interface WellColors {
  /** Rock layers from the surface down. */
  readonly layers: readonly string[];
  readonly line: string;
  readonly bedrock: string;
  readonly ghost: string;
  readonly dust: string;
}

/** Reads the well's colours, which change with the colour scheme. */
export function readWellColors(element: Element): WellColors {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  return {
    layers: ['--layer-1', '--layer-2', '--layer-3', '--layer-4', '--layer-5'].map(color),
    line: color('--well-line'),
    bedrock: color('--bedrock'),
    ghost: color('--ghost'),
    dust: color('--dust'),
  };
}

/** Paints the rock behind the board once per size: layers with uneven borders, a faint grid, grains. */
export function paintWell(cellPx: number, colors: WellColors): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(BOARD_WIDTH * cellPx);
  canvas.height = Math.round((BOARD_HEIGHT + BEDROCK_HEIGHT) * cellPx);
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const random = new RandomSource(20);
  const thickness = (BOARD_HEIGHT * cellPx) / colors.layers.length;
  colors.layers.forEach((color, i) => {
    context.fillStyle = color;
    paintBelowBorder(context, i === 0 ? -cellPx : i * thickness, cellPx, i);
  });
  paintGrains(context, random, cellPx);
  context.strokeStyle = colors.line;
  context.lineWidth = Math.max(1, cellPx / 36);
  for (let column = 1; column < BOARD_WIDTH; column++) {
    context.beginPath();
    context.moveTo(Math.round(column * cellPx) + 0.5, 0);
    context.lineTo(Math.round(column * cellPx) + 0.5, BOARD_HEIGHT * cellPx);
    context.stroke();
  }
  context.fillStyle = colors.bedrock;
  context.fillRect(0, BOARD_HEIGHT * cellPx, canvas.width, canvas.height);
  return canvas;
}

/** Fills everything below a border that waves around `y`. */
function paintBelowBorder(context: CanvasRenderingContext2D, y: number, cellPx: number, phase: number): void {
  const { width, height } = context.canvas;
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x < width + cellPx / 4; x += cellPx / 4) {
    const angle = (x / width) * 2 * Math.PI;
    const wave = Math.sin(angle + phase * 1.9) * 0.34 + Math.sin(angle * 2.6 + phase * 4.1) * 0.14;
    context.lineTo(x, y + wave * cellPx);
  }
  context.lineTo(width + cellPx, height);
  context.fill();
}

function paintGrains(context: CanvasRenderingContext2D, random: RandomSource, cellPx: number): void {
  const { width, height } = context.canvas;
  for (let i = 0; i < 420; i++) {
    const isLight = random.below(2) === 0;
    context.fillStyle = isLight ? 'rgb(255 240 214 / 0.075)' : 'rgb(24 12 2 / 0.075)';
    const x = (random.below(1000) / 1000) * width;
    const y = (random.below(1000) / 1000) * height;
    context.fillRect(x, y, cellPx * (0.04 + random.below(18) / 100), Math.max(1, cellPx * 0.035));
  }
}

/** Lines that were cleared, pressed into the rock under the board: the newest on top, the older the thinner. */
export class Bedrock {
  /** Per line, the piece index of each column. */
  #lines: (readonly number[])[] = [];

  /** Presses a cleared line; `pieces` holds a piece index for each column. */
  press(pieces: readonly number[]): void {
    this.#lines = [pieces, ...this.#lines.slice(0, 47)];
  }

  clear(): void {
    this.#lines = [];
  }

  paint(context: CanvasRenderingContext2D, cellPx: number): void {
    const bottom = (BOARD_HEIGHT + BEDROCK_HEIGHT) * cellPx;
    let y = BOARD_HEIGHT * cellPx + cellPx * 0.08;
    let thickness = cellPx * 0.17;
    context.globalAlpha = 0.82;
    for (const line of this.#lines) {
      if (y >= bottom) break;
      line.forEach((piece, column) => {
        context.fillStyle = mineralColor(piece, -6);
        const sag = Math.sin(column * 0.9 + y) * thickness * 0.1;
        context.fillRect(column * cellPx, y + sag, cellPx + 1, Math.max(1, thickness * 0.86));
      });
      y += thickness;
      thickness = Math.max(1.4, thickness * 0.955);
    }
    context.globalAlpha = 1;
  }
}
