import { defaultSpanSearch, type BatchShape } from '../graph/graph.ts';
import type { Plan } from '../plan/plan.ts';

/** Plans are small and making one takes milliseconds, so those of the shapes used last are kept. They own no device memory. */
const keptPlans = 16;

/** A name for a shape: equal shapes have equal plans. A search that is left out is the default one, as it is for the graph. */
export function shapeKey(shape: BatchShape): string {
  const { numTokens, numRows, maxRowTokens, numPositions, output, spanSearch = defaultSpanSearch } = shape;
  const { numQuestions = numRows, numPairs = numTokens } = shape;
  const { topK, maxAnswerTokens } = spanSearch;
  const sizes = [numTokens, numRows, maxRowTokens, numPositions, numQuestions, numPairs];
  return [...sizes, output, topK, maxAnswerTokens].join('/');
}

/** The plans of the shapes used last. */
export class PlanCache {
  readonly #build: (shape: BatchShape) => Plan;
  /** Least recently used first. */
  readonly #plans = new Map<string, Plan>();

  constructor(build: (shape: BatchShape) => Plan) {
    this.#build = build;
  }

  get(shape: BatchShape): Plan {
    const key = shapeKey(shape);
    const plan = this.#plans.get(key) ?? this.#build(shape);
    this.#plans.delete(key);
    this.#plans.set(key, plan);
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > keptPlans && oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }
}
