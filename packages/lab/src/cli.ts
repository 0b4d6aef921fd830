import { TrominoError } from '../../tromino/src/util/errors.ts';
export async function main(a: string[]) { console.log(a, TrominoError.name, (await import('/tmp/t/x.wgsl?raw')).default); }
