import { SourceError } from '../util/errors.ts';

/**
 * The segments of a file's path within a checkpoint. Names come out of downloaded files, so one that would leave the checkpoint's
 * folder is refused.
 *
 * @throws SourceError for an absolute path, `..`, an empty segment, a backslash or a control character.
 */
export function pathSegments(name: string): readonly string[] {
  const segments = name.split('/');
  const plain = segments.every((segment) => !/^\.{0,2}$|[\\\u0000-\u001f]|^[a-z]:/i.test(segment));
  if (plain) return segments;
  throw new SourceError(
    JSON.stringify(name),
    'expected a file within the checkpoint, found a path that leads elsewhere',
  );
}
