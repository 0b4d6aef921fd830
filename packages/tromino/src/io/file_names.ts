import { SourceError } from '../util/errors.ts';

/** Whether a file's path stays within its checkpoint: not absolute, no `..`, no empty segment, backslash or control character. */
export function staysInside(name: string): boolean {
  return name.split('/').every((segment) => !/^\.{0,2}$|[\\\u0000-\u001f]|^[a-z]:/i.test(segment));
}

/**
 * The segments of a file's path within a checkpoint.
 *
 * @throws SourceError for a path that leads elsewhere: names come out of downloaded files.
 */
export function pathSegments(name: string): readonly string[] {
  if (staysInside(name)) return name.split('/');
  throw new SourceError(
    JSON.stringify(name),
    'expected a file within the checkpoint, found a path that leads elsewhere',
  );
}
