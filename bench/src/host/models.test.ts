import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedOfGolden, exportedModels } from './models.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tromino-bench-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function writeModel(name: string, expected = '{}'): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'config.json'), '{}');
  writeFileSync(join(folder, `${name}.json`), expected);
}

describe('exportedModels', () => {
  it('finds folders with expected scores, and their ONNX files where there are some', () => {
    writeModel('a');
    writeModel('b');
    writeFileSync(join(folder, 'b.onnx'), '');
    writeFileSync(join(folder, 'notes.json'), '{}');
    expect(exportedModels(folder, 'models/')).toEqual([
      { name: 'a', task: 'classification', folder: 'models/a/', expected: 'models/a.json' },
      {
        name: 'b',
        task: 'classification',
        folder: 'models/b/',
        expected: 'models/b.json',
        onnx: 'models/b.onnx',
      },
    ]);
  });

  it('sees by the scores what a model is for', () => {
    writeModel('answers', '{"layout":{},"scores":[[[1,2]]]}');
    writeModel('classes', '{"scores":[1,2]}');
    writeModel('spans', '{"scores":[[1,2]]}');
    expect(exportedModels(folder, '').map(({ task }) => task)).toEqual([
      'answers',
      'classification',
      'span-logits',
    ]);
  });

  it('says what it looked for where there is nothing', () => {
    expect(() => exportedModels(folder, '')).toThrow('expected NAME/ and NAME.json, found no such pair');
  });
});

describe('expectedOfGolden', () => {
  it('takes the first case', () => {
    const cases = [
      { input_ids: [1, 5], attention_mask: [1, 1], text: 'a', logits: [0.5, -1] },
      { input_ids: [1], attention_mask: [1], logits: [9, 9] },
    ];
    writeFileSync(join(folder, 'golden.json'), JSON.stringify({ cases }));
    expect(expectedOfGolden(folder)).toEqual({ ids: [1, 5], text: 'a', scores: [0.5, -1] });
  });

  it('refuses a file without cases', () => {
    writeFileSync(join(folder, 'golden.json'), '{"cases": []}');
    expect(() => expectedOfGolden(folder)).toThrow('golden.json: expected a case, found none');
  });
});
