import type * as Dawn from 'webgpu';

/** One instance for the process: Dawn's objects must not outlive it. */
let instance: Promise<GPU | undefined> | undefined;

/** WebGPU in Node, through the npm package `webgpu`; undefined where it is not installed. */
export function provideDawn(): Promise<GPU | undefined> {
  return (instance ??= start());
}

async function start(): Promise<GPU | undefined> {
  const scope = globalThis as { navigator?: { gpu?: GPU } };
  if (scope.navigator?.gpu) return scope.navigator.gpu;
  let dawn: typeof Dawn;
  try {
    dawn = await import('webgpu');
  } catch {
    return undefined;
  }
  // Flag constants such as GPUBufferUsage, which a browser has as globals.
  for (const [name, value] of Object.entries<unknown>(dawn.globals as Readonly<Record<string, unknown>>)) {
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: value });
  }
  return dawn.create([]);
}
