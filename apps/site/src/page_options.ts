import type { BackendChoice } from './model_protocol.ts';

/** What the page's address can say: `?seed=7&backend=cpu&model=models/other/&magicbox=models/third/&headless`. */
export interface PageOptions {
  readonly seed: number;
  readonly backend: BackendChoice;
  /** Address of the player's folder. */
  readonly modelUrl: string;
  /** Address of MagicBox's folder. */
  readonly magicBoxUrl: string;
  /** Whether a program plays, move by move, instead of a clock. */
  readonly isHeadless: boolean;
}

const defaultModel = 'models/polyomino-dense/';
const defaultMagicBox = 'models/magicbox/';
/** Seeds are unsigned 32-bit integers. */
export const maxSeed = 2 ** 32 - 1;

/** Reads the page's address; what it leaves out or gets wrong takes its default. */
export function readPageOptions(pageUrl: string): PageOptions {
  const url = new URL(pageUrl);
  const { searchParams } = url;
  const backend = searchParams.get('backend');
  return {
    seed: parseSeed(searchParams.get('seed') ?? '') ?? 1,
    backend: backend === 'webgpu' || backend === 'cpu' ? backend : 'auto',
    modelUrl: new URL(searchParams.get('model') ?? defaultModel, url).href,
    magicBoxUrl: new URL(searchParams.get('magicbox') ?? defaultMagicBox, url).href,
    isHeadless: searchParams.has('headless'),
  };
}

/** A seed written in decimal, or undefined for anything else. */
export function parseSeed(text: string): number | undefined {
  const seed = /^\d{1,10}$/.test(text.trim()) ? Number(text) : NaN;
  return seed <= maxSeed ? seed : undefined;
}
