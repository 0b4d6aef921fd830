import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { BrowserError } from './browser_error.ts';
import { findChromium } from './find.ts';

/** What decides how a browser can be installed here. */
export interface Host {
  readonly isRoot: boolean;
  readonly isDebian: boolean;
}

/** One way to get a Chromium: a name for messages, and commands that must all succeed. */
export interface InstallMethod {
  readonly name: string;
  readonly commands: readonly (readonly [string, ...string[]])[];
}

/**
 * Finds a Chromium or installs one, and returns its path. `report` gets one line before each attempt to install.
 *
 * @throws BrowserError with one line that says what was tried and what the user can do.
 */
export function ensureChromium(report: (line: string) => void): string {
  const found = findChromium();
  if (found !== undefined) return found;
  const failures: string[] = [];
  for (const method of installMethods(currentHost())) {
    report(`no Chromium found: installing one with ${method.name}`);
    const failure = runAll(method.commands);
    const installed = failure === undefined ? findChromium() : undefined;
    if (installed !== undefined) return installed;
    failures.push(`${method.name}: ${failure ?? 'it installed nothing that can be found'}`);
  }
  throw new BrowserError(
    `no Chromium found, and none could be installed (${failures.join('; ')}): ` +
      'install Chromium, Chrome or Edge, or set CHROMIUM_PATH to one',
  );
}

/**
 * The ways to install a Chromium on a host, best first. Debian's package comes with all the libraries it needs, but takes
 * root; Playwright's download needs no rights, but brings the libraries only as root, and only on systems that it knows.
 */
export function installMethods(host: Host): InstallMethod[] {
  const playwright = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  const download = [process.execPath, playwright, 'install', 'chromium'] as const;
  const methods: InstallMethod[] = [];
  if (host.isRoot && host.isDebian) {
    const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'] as const;
    methods.push({ name: 'apt-get', commands: [['apt-get', 'update'], install] });
  }
  if (host.isRoot)
    methods.push({ name: 'Playwright and its libraries', commands: [[...download, '--with-deps']] });
  methods.push({ name: 'Playwright', commands: [download] });
  return methods;
}

function currentHost(): Host {
  return { isRoot: process.getuid?.() === 0, isDebian: /^ID=debian$/m.test(readOsRelease()) };
}

function readOsRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return ''; // Not a Linux that says which one it is, so not Debian.
  }
}

/** Runs commands until one fails; returns what that one said last, or undefined when all succeeded. */
function runAll(commands: InstallMethod['commands']): string | undefined {
  for (const [program, ...args] of commands) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
    if (error !== undefined) return error.message;
    if (status !== 0) return lastLine(stderr) ?? lastLine(stdout) ?? `exit code ${String(status)}`;
  }
  return undefined;
}

function lastLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}
