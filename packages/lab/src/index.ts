/** What the workspace's tools and benchmarks share with the `tromino` command: browsers, a file server, and sessions with the runtime. */
export { locateCheckpoint } from './checkpoint_location.ts';
export { launchChromium, watchForFailure } from './chromium/browser.ts';
export { ensureChromium } from './chromium/install.ts';
export { chromiumLaunchOptions } from './chromium/launch.ts';
export { describeAdapter } from './report.ts';
export { startServer, type StaticServer } from './server.ts';
export { openSession } from './sessions/open_session.ts';
export { backendNames, type BackendName, type Session } from './sessions/session.ts';
