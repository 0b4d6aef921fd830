// Where a Chromium is and how to start it with WebGPU. Plain JavaScript, because the set-up runs before anything is built.
import { existsSync } from 'node:fs';

const candidates = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/bin/microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** The first browser that is there, or undefined. */
export function findChromium() {
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path));
}

/** True where a GPU driver can be seen; elsewhere Chromium is told to use its software adapter. */
export function hasGpu() {
  if (process.platform !== 'linux') return true;
  return existsSync('/dev/nvidia0') || existsSync('/dev/dri/renderD128');
}

/** Command-line flags for WebGPU in headless Chromium; `CHROMIUM_GPU_ARGS` replaces the adapter's part of them. */
export function chromiumArguments() {
  const common = ['--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-unsafe-webgpu'];
  if (process.getuid?.() === 0) common.push('--no-sandbox');
  const given = process.env.CHROMIUM_GPU_ARGS;
  if (given) return [...common, ...given.split(' ').filter(Boolean)];
  if (hasGpu()) return process.platform === 'linux' ? [...common, '--enable-features=Vulkan', '--use-angle=vulkan', '--ignore-gpu-blocklist'] : common;
  return [...common, '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];
}
