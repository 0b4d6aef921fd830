import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The documents that a reader starts from, and all of docs/. */
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** Targets of a document's links that lie in the repository, without their anchors. */
function localLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

describe('the documents', () => {
  it.each(documents)('%s links to files that exist', (document) => {
    const links = localLinks(readFileSync(join(root, document), 'utf8'));
    expect(links.filter((link) => !existsSync(join(root, dirname(document), link)))).toEqual([]);
  });

  it('are searched for links at all', () => {
    expect(localLinks('[a](docs/a.md#b), [c](https://example.org), [d](#e)')).toEqual(['docs/a.md']);
    expect(localLinks(readFileSync(join(root, 'README.md'), 'utf8'))).toContain('docs/architecture.md');
  });
});
