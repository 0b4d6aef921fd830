/** What the workspace's tools and benchmarks share with the `tromino` command: finding and starting a browser, and serving files. */
export { launchChromium, watchForFailure } from './chromium/browser.ts';
export { ensureChromium } from './chromium/install.ts';
export { chromiumLaunchOptions } from './chromium/launch.ts';
export { describeAdapter } from './report.ts';
export { startServer, type StaticServer } from './server.ts';
