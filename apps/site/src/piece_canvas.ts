import { shapeAt } from '@tromino/strata';
import { TileSet } from './minerals.ts';
import { cellsOf } from './transition.ts';

/** Cells that fit side by side: the longest piece and some air. */
const widthCells = 4.6;

/** Draws one piece in the middle of a small canvas, or nothing for null. */
export class PieceCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #piece: number | null = null;
  #isDimmed = false;

  constructor(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
    this.#canvas = canvas;
    this.#context = context;
    new ResizeObserver(() => {
      this.#draw();
    }).observe(canvas);
  }

  /** @param isDimmed for a piece that is there but cannot be used now. */
  show(piece: number | null, isDimmed = false): void {
    if (piece === this.#piece && isDimmed === this.#isDimmed) return;
    this.#piece = piece;
    this.#isDimmed = isDimmed;
    this.#draw();
  }

  #draw(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#canvas.width = Math.max(1, Math.round(clientWidth * devicePixelRatio));
    this.#canvas.height = Math.max(1, Math.round(clientHeight * devicePixelRatio));
    if (this.#piece === null) return;
    const cell = Math.floor(this.#canvas.width / widthCells);
    const tiles = new TileSet(cell);
    const { width, height } = shapeAt(this.#piece, 0);
    const left = (this.#canvas.width - width * cell) / 2;
    const top = (this.#canvas.height - height * cell) / 2;
    this.#context.globalAlpha = this.#isDimmed ? 0.35 : 1;
    for (const { column, row } of cellsOf({ piece: this.#piece, rotation: 0, column: 0, row: 0 })) {
      const tile = tiles.tile(this.#piece, column, row);
      this.#context.drawImage(tile, left + column * cell, top + (height - 1 - row) * cell);
    }
  }
}
