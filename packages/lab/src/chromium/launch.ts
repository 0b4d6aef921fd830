import { existsSync } from 'node:fs';
import process from 'node:process';

/** What Playwright needs to know to start a Chromium that has WebGPU. */
export interface ChromiumLaunchOptions {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/**
 * How to start the browser at `executablePath` with WebGPU: on the GPU where a driver is there, else on Chromium's
 * software adapter. The environment can say otherwise: `CHROMIUM_GPU_ARGS` replaces the flags that choose the adapter, and
 * `CHROMIUM_LIBS` is put in front of the browser's `LD_LIBRARY_PATH`.
 */
export function chromiumLaunchOptions(executablePath: string): ChromiumLaunchOptions {
  return { executablePath, args: [...commonArguments(), ...adapterArguments()], env: browserEnvironment() };
}

function commonArguments(): string[] {
  const args = [
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--enable-unsafe-webgpu',
  ];
  // Chromium refuses to run as root inside its sandbox; containers and CI machines run as root.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return args;
}

function adapterArguments(): string[] {
  const given = process.env['CHROMIUM_GPU_ARGS'];
  if (given !== undefined && given !== '') return given.split(' ').filter((argument) => argument !== '');
  if (process.platform !== 'linux') return [];
  if (!hasGpuDriver()) return ['--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];
  return [
    '--enable-features=Vulkan',
    '--use-angle=vulkan',
    '--disable-vulkan-surface',
    '--ignore-gpu-blocklist',
  ];
}

/** True where Linux shows a GPU's device file. Elsewhere Chromium would find no adapter unless told to use the software one. */
function hasGpuDriver(): boolean {
  return existsSync('/dev/nvidia0') || existsSync('/dev/dri/renderD128');
}

function browserEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  const libraries = process.env['CHROMIUM_LIBS'];
  if (libraries !== undefined && libraries !== '') {
    env['LD_LIBRARY_PATH'] = [libraries, env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  }
  return env;
}
