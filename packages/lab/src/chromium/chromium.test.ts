import { existsSync } from 'node:fs';
import process from 'node:process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from './find.ts';
import { installMethods } from './install.ts';
import { chromiumLaunchOptions } from './launch.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('findChromium', () => {
  it('takes the browser that CHROMIUM_PATH names', () => {
    vi.stubEnv('CHROMIUM_PATH', process.execPath);
    expect(findChromium()).toBe(process.execPath);
  });

  it('refuses a CHROMIUM_PATH where there is no file instead of taking another browser', () => {
    vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium');
    expect(() => findChromium()).toThrow(
      "CHROMIUM_PATH: expected a browser's executable, found no file at /nowhere/chromium",
    );
  });
});

describe('installMethods', () => {
  it('as root on Debian installs the package first, then tries the download with and without its libraries', () => {
    const methods = installMethods({ isRoot: true, isDebian: true });
    expect(methods.map(({ name }) => name)).toEqual([
      'apt-get',
      'Playwright and its libraries',
      'Playwright',
    ]);
    expect(methods[0]?.commands).toEqual([
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'],
    ]);
    expect(methods[1]?.commands[0]?.slice(2)).toEqual(['install', 'chromium', '--with-deps']);
  });

  it.each([
    { isRoot: false, isDebian: true },
    { isRoot: false, isDebian: false },
  ])('without rights only downloads: %o', (host) => {
    const [method, ...rest] = installMethods(host);
    expect(rest).toEqual([]);
    const [program, script, ...args] = method?.commands[0] ?? [];
    expect([program, existsSync(script ?? ''), args]).toEqual([
      process.execPath,
      true,
      ['install', 'chromium'],
    ]);
  });
});

describe('chromiumLaunchOptions', () => {
  it("lets the environment choose the adapter's flags and the browser's libraries", () => {
    vi.stubEnv('CHROMIUM_GPU_ARGS', '--use-angle=vulkan  --ignore-gpu-blocklist');
    vi.stubEnv('CHROMIUM_LIBS', '/browser/lib');
    vi.stubEnv('LD_LIBRARY_PATH', '/system/lib');
    const { executablePath, args, env } = chromiumLaunchOptions('/bin/browser');
    expect(executablePath).toBe('/bin/browser');
    expect(args.slice(-2)).toEqual(['--use-angle=vulkan', '--ignore-gpu-blocklist']);
    expect(args).not.toContain('--use-webgpu-adapter=swiftshader');
    expect(env['LD_LIBRARY_PATH']).toBe('/browser/lib:/system/lib');
  });

  it('leaves the library path alone where nothing is said', () => {
    vi.stubEnv('CHROMIUM_LIBS', undefined);
    vi.stubEnv('LD_LIBRARY_PATH', undefined);
    expect(chromiumLaunchOptions('/bin/browser').env['LD_LIBRARY_PATH']).toBeUndefined();
  });
});
