import { OptionError, SourceError } from '../util/errors.ts';
import { BlobSource } from './blob_source.ts';
import { openCallerFiles } from './caller_files.ts';
import { pathSegments } from './file_names.ts';
import type { CheckpointFiles } from './files.ts';
import { withoutSecrets } from './http_response.ts';
import { fetchWhole, openRanged } from './http_source.ts';
import { MemorySource } from './memory_source.ts';

export type { CheckpointFiles } from './files.ts';

/** What a model is loaded from. A string is the URL of a folder (also relative to the page); in Node it may be a folder's path. */
export type CheckpointSource =
  | string
  | URL
  | FileSystemDirectoryHandle
  | FileList
  | readonly File[]
  | ReadonlyMap<string, ArrayBuffer | Uint8Array | Blob>
  | CheckpointFiles;

/** Opens a folder of the local disk, by path or `file:` URL. */
export type FolderOpener = (folder: string | URL) => CheckpointFiles;

let folderOpener: FolderOpener | undefined;

/** Lets strings that are no URL, and `file:` URLs, mean folders. The Node entry installs this; pages have no such folders. */
export function setFolderOpener(opener: FolderOpener | undefined): void {
  folderOpener = opener;
}

/**
 * Turns what the caller gave into files. Nothing is read yet.
 *
 * @throws OptionError for anything else than a `CheckpointSource`.
 */
export function openCheckpoint(source: CheckpointSource): CheckpointFiles {
  if (typeof source === 'string') return openLocation(source);
  if (source instanceof URL) return openUrl(source);
  // Callers without types pass null too. Shapes, not classes, tell the rest apart: objects may come from another frame.
  if (typeof source === 'object' && (source as unknown) !== null) {
    if ('open' in source) return openCallerFiles(source);
    if ('getFileHandle' in source) return openDirectory(source);
    if ('get' in source) return openMap(source);
    if ('length' in source) return openFiles(source);
  }
  throw new OptionError('source', 'a URL, a folder, files or a map of names to bytes', typeof source);
}

function openLocation(location: string): CheckpointFiles {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(location)) return openUrl(parseUrl(location));
  if (folderOpener) return folderOpener(location);
  const scope: PageScope = globalThis;
  const page = scope.document?.baseURI ?? scope.location?.href;
  if (page === undefined) throw new OptionError('source', 'a URL', JSON.stringify(location));
  return openUrl(parseUrl(location, page));
}

/** What a page has, a worker has in part, and Node has not. */
interface PageScope {
  readonly document?: { readonly baseURI: string };
  readonly location?: { readonly href: string };
}

function parseUrl(text: string, base?: string): URL {
  try {
    return new URL(text, base);
  } catch {
    throw new OptionError('source', 'a URL', JSON.stringify(text));
  }
}

function openUrl(url: URL): CheckpointFiles {
  if (url.protocol === 'file:' && folderOpener) return folderOpener(url);
  const folder = new URL(url);
  folder.hash = '';
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return {
    description: withoutSecrets(folder),
    async open(name, signal) {
      const file = new URL(folder);
      file.pathname += pathSegments(name).map(encodeURIComponent).join('/');
      return await (isWeightFile(name) ? openRanged : fetchWhole)(name, file, signal);
    },
  };
}

/** Files of which ranges are read; all others are small and are taken whole. */
function isWeightFile(name: string): boolean {
  return /\.(safetensors|gguf|bin|pt|pth|h5|onnx|msgpack)$/.test(name);
}

function openDirectory(directory: FileSystemDirectoryHandle): CheckpointFiles {
  return {
    description: `folder ${directory.name}`,
    async open(name) {
      const segments = [...pathSegments(name)];
      const fileName = segments.pop() ?? name;
      try {
        let folder = directory;
        for (const segment of segments) folder = await folder.getDirectoryHandle(segment);
        const handle = await folder.getFileHandle(fileName);
        return new BlobSource(name, await handle.getFile());
      } catch (cause) {
        if (cause instanceof DOMException && cause.name === 'NotFoundError') return undefined;
        throw new SourceError(name, `could not be opened in folder ${directory.name}`, { cause });
      }
    },
    async list() {
      const names: string[] = [];
      for await (const [name, handle] of directory.entries()) if (handle.kind === 'file') names.push(name);
      return names;
    },
  };
}

function openMap(contents: ReadonlyMap<string, ArrayBuffer | Uint8Array | Blob>): CheckpointFiles {
  return {
    description: `${contents.size} files in memory`,
    // eslint-disable-next-line @typescript-eslint/require-await -- what goes wrong must reject, not throw
    async open(name) {
      const content = contents.get(name);
      if (content === undefined) return undefined;
      if (content instanceof Blob) return new BlobSource(name, content);
      if (content instanceof Uint8Array) return new MemorySource(name, content);
      if (content instanceof ArrayBuffer) return new MemorySource(name, new Uint8Array(content));
      throw new OptionError(`source, ${name}`, 'an ArrayBuffer, a Uint8Array or a Blob', typeof content);
    },
    list: () => Promise.resolve([...contents.keys()]),
  };
}

function openFiles(files: FileList | readonly File[]): CheckpointFiles {
  const byName = new Map<string, File>();
  for (const file of Array.from(files)) {
    const name = nameInCheckpoint(file);
    if (byName.has(name)) throw new OptionError('source', 'files of different names', `two called ${name}`);
    byName.set(name, file);
  }
  return { ...openMap(byName), description: `${byName.size} chosen files` };
}

/** A file chosen with its folder carries the folder's name in front; one chosen or dropped alone does not. */
function nameInCheckpoint(file: File): string {
  if (!((file as unknown) instanceof Blob)) throw new OptionError('source', 'a list of files', typeof file);
  return file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(1).join('/') : file.name;
}
