#!/usr/bin/env node
// The `tromino` command, run from its TypeScript sources: there is no build step, so there is no stale build.
import './register.mjs';

const { main } = await import('../src/cli.ts');
await main(process.argv.slice(2));
