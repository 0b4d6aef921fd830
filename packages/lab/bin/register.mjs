// Lets Node import the workspace's sources: TypeScript through tsx, `*.wgsl?raw` as text, and packages by their
// `tromino-source` export. Import it first, or start Node with `--import` of this file.
import { register } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

// The workspace's own tsconfig has nothing that the transform needs, and one found from a user's folder must not count.
registerTypeScript({ tsconfig: false });
register('./source_hooks.mjs', import.meta.url);
