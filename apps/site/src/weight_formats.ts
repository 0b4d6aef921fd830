/** One of the formats of weights in which a player ships. */
export interface WeightFormat {
  readonly id: string;
  readonly label: string;
  /** The checkpoint's folder, below `models/`. */
  readonly folder: string;
}

/** The player as it was trained; the others are held against it. */
export const denseFormat: WeightFormat = { id: 'dense', label: 'Dense, 32 bits', folder: 'polyomino-dense' };

/** A player in every format that ships: the dense one, the same in NF4, and a ternary one that was trained to choose as it does. */
export const weightFormats: readonly WeightFormat[] = [
  denseFormat,
  { id: 'nf4', label: 'NF4, 4 bits', folder: 'polyomino-nf4' },
  { id: 'ternary', label: 'Ternary, 2 bits', folder: 'polyomino-ternary' },
];

/** Where the page finds a format's checkpoint. @param modelsUrl of the folder with all of them. */
export function formatUrl({ folder }: WeightFormat, modelsUrl: string): string {
  return new URL(`${folder}/`, modelsUrl).href;
}

/** The format whose checkpoint this address is; undefined where it is none of the shipped ones. */
export function formatOfUrl(modelUrl: string): WeightFormat | undefined {
  return weightFormats.find(({ folder }) => modelUrl.endsWith(`/${folder}/`));
}
