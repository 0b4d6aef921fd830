import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { findChromium } from './packages/lab/src/chromium/find.ts';
import { chromiumLaunchOptions } from './packages/lab/src/chromium/launch.ts';

const chromium = findChromium();
const launchOptions = chromium === undefined ? {} : chromiumLaunchOptions(chromium);

/** Three kinds of test, told apart by file name: Node, real Chromium on WebGPU, and end to end through the command and the page. */
export default defineConfig({
  resolve: { conditions: ['tromino-source', 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: ['tromino-source', 'module', 'node', 'development|production'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['{packages,apps,bench}/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.gpu.test.ts', '**/*.e2e.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'gpu',
          include: ['packages/**/*.gpu.test.ts', 'apps/**/*.gpu.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 120_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['{packages,apps,bench}/**/*.e2e.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
