import { RandomSource } from '@tromino/strata';

/** How a mineral breaks the light. */
type Habit = 'faceted' | 'fibrous' | 'grainy' | 'banded' | 'prismatic';

interface Mineral {
  /** Base colour as hue (degrees), saturation and lightness (percent). */
  readonly hsl: readonly [number, number, number];
  readonly habit: Habit;
}

/** Colours and textures in the order of the game's pieces, after the minerals they are named for. */
const minerals: readonly Mineral[] = [
  { hsl: [190, 48, 40], habit: 'banded' }, // vivianite
  { hsl: [40, 34, 79], habit: 'fibrous' }, // wollastonite
  { hsl: [46, 58, 51], habit: 'prismatic' }, // xenotime
  { hsl: [98, 27, 43], habit: 'prismatic' }, // uvite
  { hsl: [8, 54, 47], habit: 'faceted' }, // zircon
  { hsl: [168, 10, 33], habit: 'grainy' }, // ytterbite
  { hsl: [27, 82, 57], habit: 'faceted' }, // wulfenite
  { hsl: [205, 22, 76], habit: 'fibrous' }, // ulexite
  { hsl: [256, 31, 56], habit: 'banded' }, // zoisite
];

/** Tiles of one mineral that differ in their texture, so that a wall of it looks grown. */
const numGrains = 4;
/** Steps of darkening between the open and the floor. */
const numShades = 6;

/** A CSS colour of a piece's mineral, made lighter (or darker, below 0) by percent points. */
export function mineralColor(piece: number, lighter = 0, alpha = 1): string {
  const [hue, saturation, lightness] = minerals[piece]?.hsl ?? [0, 0, 50];
  return `hsl(${hue} ${saturation}% ${Math.min(96, lightness + lighter)}% / ${alpha})`;
}

/** Painted tiles of one size, made when first needed. */
export class TileSet {
  readonly #sizePx: number;
  readonly #tiles = new Map<string, HTMLCanvasElement>();

  /** @param sizePx edge of a cell in device pixels. */
  constructor(sizePx: number) {
    this.#sizePx = sizePx;
  }

  /**
   * The tile of a piece's mineral for the cell at (column, row).
   * @param depth from 0, in the open, to 1, on the floor: the deeper a stone lies, the more it takes the colour of the rock.
   */
  tile(piece: number, column: number, row: number, depth = 0): HTMLCanvasElement {
    const grain = (column * 7 + row * 3) % numGrains;
    const shade = Math.round(depth * numShades);
    const key = `${piece}/${grain}/${shade}`;
    let tile = this.#tiles.get(key);
    if (tile === undefined) {
      tile = paintTile(piece, grain, (0.24 * shade) / numShades, this.#sizePx);
      this.#tiles.set(key, tile);
    }
    return tile;
  }
}

function paintTile(piece: number, grain: number, shade: number, sizePx: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = Math.max(1, Math.ceil(sizePx));
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const inset = Math.max(0.5, sizePx * 0.025);
  const edge = sizePx - 2 * inset;
  const body = new Path2D();
  body.roundRect(inset, inset, edge, edge, sizePx * 0.14);
  const light = context.createLinearGradient(0, 0, sizePx, sizePx);
  light.addColorStop(0, mineralColor(piece, 8));
  light.addColorStop(0.55, mineralColor(piece));
  light.addColorStop(1, mineralColor(piece, -11));
  context.fillStyle = light;
  context.fill(body);
  context.save();
  context.clip(body);
  const random = new RandomSource(piece * 97 + grain * 13 + 5);
  habitPainters[minerals[piece]?.habit ?? 'grainy'](context, sizePx, random);
  paintBevel(context, sizePx, inset);
  context.fillStyle = `rgb(46 28 12 / ${shade})`;
  context.fill(body);
  context.restore();
  return canvas;
}

function paintBevel(context: CanvasRenderingContext2D, sizePx: number, inset: number): void {
  context.lineWidth = Math.max(1, sizePx * 0.05);
  const far = sizePx - inset - context.lineWidth / 2;
  const near = inset + context.lineWidth / 2;
  context.strokeStyle = 'rgb(255 255 255 / 0.34)';
  strokeLine(context, [near, far, near, near, far, near]);
  context.strokeStyle = 'rgb(20 12 4 / 0.34)';
  strokeLine(context, [near, far, far, far, far, near]);
}

type HabitPainter = (context: CanvasRenderingContext2D, sizePx: number, random: RandomSource) => void;

const habitPainters: Readonly<Record<Habit, HabitPainter>> = {
  faceted(context, sizePx, random) {
    // Four facets that meet in a point off the middle.
    const x = sizePx * (0.38 + random.below(24) / 100);
    const y = sizePx * (0.38 + random.below(24) / 100);
    const corners = [0, 0, sizePx, 0, sizePx, sizePx, 0, sizePx, 0, 0];
    const shades = [
      'rgb(255 255 255 / 0.24)',
      'rgb(255 255 255 / 0.06)',
      'rgb(30 10 0 / 0.2)',
      'rgb(30 10 0 / 0.07)',
    ];
    shades.forEach((shade, i) => {
      fillShape(context, shade, [x, y, ...corners.slice(2 * i, 2 * i + 4)]);
    });
  },
  fibrous(context, sizePx, random) {
    context.lineWidth = Math.max(0.6, sizePx * 0.03);
    for (let i = 0; i < 7; i++) {
      const x = (sizePx * (i + random.below(100) / 100)) / 6;
      context.strokeStyle = i % 2 === 0 ? 'rgb(255 255 255 / 0.4)' : 'rgb(70 52 30 / 0.16)';
      strokeLine(context, [x - sizePx * 0.1, sizePx, x + sizePx * 0.12, 0]);
    }
  },
  grainy(context, sizePx, random) {
    for (let i = 0; i < 16; i++) {
      const radius = sizePx * (0.02 + random.below(40) / 1000);
      context.fillStyle =
        i % 4 === 0 ? 'rgb(226 214 160 / 0.55)' : `rgb(0 0 0 / ${0.1 + random.below(16) / 100})`;
      context.beginPath();
      context.arc(
        (sizePx * random.below(100)) / 100,
        (sizePx * random.below(100)) / 100,
        radius,
        0,
        2 * Math.PI,
      );
      context.fill();
    }
  },
  banded(context, sizePx, random) {
    context.lineWidth = sizePx * 0.075;
    const bend = sizePx * (0.12 + random.below(10) / 100);
    for (let i = 0; i < 4; i++) {
      const y = sizePx * (0.1 + i * 0.27);
      context.strokeStyle = i % 2 === 0 ? 'rgb(255 255 255 / 0.17)' : 'rgb(0 0 20 / 0.14)';
      context.beginPath();
      context.moveTo(-1, y + bend / 2);
      context.bezierCurveTo(sizePx * 0.3, y - bend, sizePx * 0.6, y + bend, sizePx + 1, y - bend / 2);
      context.stroke();
    }
  },
  prismatic(context, sizePx, random) {
    const ridge = sizePx * (0.3 + random.below(20) / 100);
    const second = ridge + sizePx * 0.28;
    fillShape(context, 'rgb(255 255 255 / 0.22)', [0, sizePx, ridge, 0, second, 0, sizePx * 0.28, sizePx]);
    fillShape(context, 'rgb(20 20 0 / 0.14)', [second, sizePx, sizePx, ridge, sizePx, sizePx]);
  },
};

/** @param points x and y in turn. */
function fillShape(context: CanvasRenderingContext2D, color: string, points: readonly number[]): void {
  context.fillStyle = color;
  tracePath(context, points);
  context.fill();
}

function strokeLine(context: CanvasRenderingContext2D, points: readonly number[]): void {
  tracePath(context, points);
  context.stroke();
}

function tracePath(context: CanvasRenderingContext2D, points: readonly number[]): void {
  context.beginPath();
  for (let i = 0; i < points.length; i += 2) context.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
}
