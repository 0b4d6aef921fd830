/** The built page in a real Chromium, for end-to-end tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumLaunchOptions, ensureChromium, startServer, type StaticServer } from '@tromino/lab';
import { chromium, type Browser, type Page } from 'playwright';
import { build } from 'vite';

/** The folder of the shipped checkpoints. */
export const modelsFolder = join(import.meta.dirname, '../../../models');

/** Far above what a call takes on a software adapter that others use too. */
const waitMs = 120_000;

/** A page that is open, and what serves it. */
export interface OpenPage {
  readonly page: Page;
  readonly server: StaticServer;
  /** Messages of the errors that nothing in the page caught. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** How a page is opened. */
export interface OpenOptions {
  /** What is served besides the page, by prefix. */
  readonly mounts?: Readonly<Record<string, Parameters<StaticServer['mount']>[1]>>;
  readonly width?: number;
}

/** The page as it is built, and a browser. */
export class BuiltSite {
  readonly #folder: string;
  readonly browser: Browser;

  private constructor(folder: string, browser: Browser) {
    this.#folder = folder;
    this.browser = browser;
  }

  static async make(): Promise<BuiltSite> {
    const folder = await mkdtemp(join(tmpdir(), 'strata-page-'));
    await build({
      root: join(import.meta.dirname, '..'),
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: true },
    });
    return new BuiltSite(folder, await chromium.launch(chromiumLaunchOptions(ensureChromium(console.log))));
  }

  /** Opens the page at an address that ends with this query. */
  async open(query: string, { mounts = {}, width = 1200 }: OpenOptions = {}): Promise<OpenPage> {
    const server = await startServer();
    server.mount('/', { folder: this.#folder });
    for (const [prefix, target] of Object.entries(mounts)) server.mount(prefix, target);
    const page = await this.browser.newPage({ viewport: { width, height: 900 } });
    page.setDefaultTimeout(waitMs);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(`${server.origin}/?${query}`);
    const close = async (): Promise<void> => {
      await page.close();
      await server.close();
    };
    return { page, server, errors, close };
  }

  /** Ends the browser's GPU process, and with it every device of its pages. */
  async crashGpu(): Promise<void> {
    const session = await this.browser.newBrowserCDPSession();
    await session.send('Browser.crashGpuProcess').catch(() => undefined); // Some builds never answer it.
    await session.detach();
  }

  async close(): Promise<void> {
    await this.browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
