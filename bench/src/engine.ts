import type { LoadTimes, ProfileFacts, Row } from './result.ts';
import type { BenchModel, ExpectedScores, Section } from './suite.ts';

/** A model loaded by some engine, ready for its first call. */
export interface LoadedModel {
  readonly input: 'text' | 'ids';
  readonly loadMs: LoadTimes;
  /** One inference: from the input to scores in host memory. */
  call(): Promise<ArrayLike<number>>;
  /** Times every step on the device; for engines that can. */
  profile?(repeats: number): Promise<ProfileFacts>;
  /**
   * What the engine says of itself. Asked after the calls: what it does would otherwise be warm in the first of them.
   * @throws Error if the text and the ids of the expected scores are not the same input.
   */
  describe?(): Pick<Row, 'plan' | 'planBuildMs' | 'memory'>;
  dispose(): Promise<void>;
}

/** Takes what a section is busy with: its row says so where the section does not end. */
export type Say = (doing: string) => void;

/** Something that runs models. */
export interface Engine {
  readonly name: string;
  load(model: BenchModel, expected: ExpectedScores, section: Section, say: Say): Promise<LoadedModel>;
}
