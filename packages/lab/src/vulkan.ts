import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

const libraryFolders = [
  '/lib',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
];
const driverFolders = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d', '/usr/local/share/vulkan/icd.d'];
const loaderName = 'libvulkan.so.1';
const softwareDriverName = 'vk_swiftshader_icd.json';

/**
 * Environment for a Node process that runs WebGPU through Dawn. Dawn needs a Vulkan loader and a driver; a bare Linux
 * machine has neither, but a Chromium beside us brings both (its driver is the software adapter). What the system or the
 * caller's environment offers is left alone.
 *
 * @param chromiumPath executable of a Chromium, whose folder may hold the libraries
 */
export function vulkanEnvironment(chromiumPath: string | undefined): Record<string, string> {
  if (process.platform !== 'linux') return {};
  const env: Record<string, string> = {};
  const folders = chromiumPath === undefined ? [] : browserFolders(chromiumPath);
  const loaderFolder = folders.find((folder) => existsSync(join(folder, loaderName)));
  if (!libraryFolders.some((folder) => existsSync(join(folder, loaderName))) && loaderFolder !== undefined) {
    env['LD_LIBRARY_PATH'] = [process.env['LD_LIBRARY_PATH'], loaderFolder].filter(Boolean).join(':');
  }
  const driverFolder = folders.find((folder) => existsSync(join(folder, softwareDriverName)));
  const named = process.env['VK_DRIVER_FILES'] ?? process.env['VK_ICD_FILENAMES'];
  if (named === undefined && !driverFolders.some(holdsFiles) && driverFolder !== undefined) {
    env['VK_ICD_FILENAMES'] = join(driverFolder, softwareDriverName);
  }
  return env;
}

/** Where a browser's libraries may lie: beside its executable, or in the folder that Debian's start script execs from. */
function browserFolders(executablePath: string): string[] {
  return [dirname(realpathSync(executablePath)), '/usr/lib/chromium'];
}

function holdsFiles(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
