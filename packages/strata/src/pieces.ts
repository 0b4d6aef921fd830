/** One orientation of a piece, in its own bounding box. */
export interface Shape {
  /** Row masks from the lowest row up; bit 0 is the leftmost column of the box. */
  readonly rows: readonly number[];
  readonly width: number;
  readonly height: number;
  /** Per column of the box, the row of its lowest cell: what a drop rests on. */
  readonly bottoms: readonly number[];
}

/** A piece of the game. */
export interface Piece {
  /** One letter, used in prompts. */
  readonly letter: string;
  /** The mineral the piece is made of; it gives the piece its colour. */
  readonly mineral: string;
  /** The four orientations, each a quarter turn clockwise from the one before. */
  readonly shapes: readonly [Shape, Shape, Shape, Shape];
  /** Per rotation, the first rotation with the same shape: 0 for all four of a square. */
  readonly canonical: readonly [number, number, number, number];
}

/** Number of orientations of every piece, symmetric ones included. */
export const NUM_ROTATIONS = 4;

/** Reads a drawing: strings from the top row down, `#` is a cell. */
function shapeOf(drawing: readonly string[]): Shape {
  const width = drawing[0]?.length ?? 0;
  const rows = [...drawing].reverse().map((line) => {
    let mask = 0;
    for (let column = 0; column < width; column++) if (line[column] === '#') mask |= 1 << column;
    return mask;
  });
  const bottoms = Array.from({ length: width }, (_, column) =>
    rows.findIndex((mask) => (mask >> column) & 1),
  );
  return { rows, width, height: rows.length, bottoms };
}

function turnedClockwise(drawing: readonly string[]): string[] {
  const width = drawing[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) =>
    [...drawing]
      .reverse()
      .map((line) => line[column] ?? '.')
      .join(''),
  );
}

function piece(letter: string, mineral: string, drawing: readonly string[]): Piece {
  const second = turnedClockwise(drawing);
  const third = turnedClockwise(second);
  const fourth = turnedClockwise(third);
  const drawings = [drawing, second, third, fourth].map((lines) => lines.join('/'));
  const first = (rotation: number): number => drawings.findIndex((lines) => lines === drawings[rotation]);
  return {
    letter,
    mineral,
    shapes: [shapeOf(drawing), shapeOf(second), shapeOf(third), shapeOf(fourth)],
    canonical: [first(0), first(1), first(2), first(3)],
  };
}

/**
 * The nine pieces: both trominoes and the seven one-sided tetrominoes.
 *
 * Letters lie outside a…t and A…T, which stand for rows in prompts.
 */
export const PIECES: readonly Piece[] = [
  piece('V', 'vivianite', ['#.', '##']),
  piece('w', 'wollastonite', ['###']),
  piece('x', 'xenotime', ['.#.', '###']),
  piece('U', 'uvite', ['##', '##']),
  piece('Z', 'zircon', ['#..', '###']),
  piece('y', 'ytterbite', ['..#', '###']),
  piece('W', 'wulfenite', ['####']),
  piece('u', 'ulexite', ['.##', '##.']),
  piece('z', 'zoisite', ['##.', '.##']),
];

/** The piece of an index. @throws RangeError when there is no such piece. */
export function pieceAt(index: number): Piece {
  const found = PIECES[index];
  if (found === undefined)
    throw new RangeError(`piece index: expected 0…${PIECES.length - 1}, found ${index}`);
  return found;
}

/** The shape of a piece in a rotation. @throws RangeError when there is no such piece or rotation. */
export function shapeAt(index: number, rotation: number): Shape {
  const found = pieceAt(index).shapes[rotation];
  if (found === undefined) throw new RangeError(`rotation: expected 0…3, found ${rotation}`);
  return found;
}
