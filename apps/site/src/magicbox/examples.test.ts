import { describe, expect, it } from 'vitest';
import { examples } from './examples.ts';
import { numColors } from './question_list.ts';

describe('the examples', () => {
  it('have names of their own', () => {
    expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length);
  });

  it.each(examples)(
    '$name has questions, each of them once and in a colour of its own',
    ({ text, questions }) => {
      expect(text.trim()).not.toBe('');
      expect(new Set(questions).size).toBe(questions.length);
      expect(questions.length).toBeGreaterThan(3);
      expect(questions.length).toBeLessThanOrEqual(numColors);
    },
  );
});
