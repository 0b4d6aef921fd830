/** The same in Node: strings may be folder paths, and WebGPU comes from Dawn (`npm install webgpu`), where it is installed. */
import { setGpuProvider } from './gpu/adapter.ts';
import { provideDawn } from './gpu/dawn.ts';
import { setFolderOpener } from './io/checkpoint_files.ts';
import { openFolder } from './io/node/folder.ts';

export * from './index.ts';

setFolderOpener(openFolder);
setGpuProvider(provideDawn);
