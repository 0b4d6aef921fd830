/**
 * The benchmark page. It reads `bench.json` and `suite.json` beside it, prints a line of JSON for each row as it comes (so that a run that
 * is cut off is not lost), and ends with `window.done`; the whole {@link BenchResult} is then in `window.result`.
 */
import type { Engine } from './engine.ts';
import { describeEnvironment } from './environment.ts';
import { ortEngine } from './ort_engine.ts';
import type { BenchResult, Environment, Row } from './result.ts';
import { PageTime, withinLimit } from './page_time.ts';
import { runSection, sameBits } from './run_section.ts';
import {
  callsPerSection,
  callsWithoutTimes,
  describeSection,
  type BenchModel,
  type BenchPage,
  type ExpectedScores,
  type Section,
} from './suite.ts';
import { runPage } from './run_page.ts';
import { trominoEngine } from './tromino_engine.ts';

const engines: Readonly<Record<Section['engine'], Engine>> = { tromino: trominoEngine, ort: ortEngine };
const rows: Row[] = [];

async function main(): Promise<void> {
  const { models, limitMs } = await fetchJson<BenchPage>('bench.json');
  const time = new PageTime(limitMs);
  const { sections } = await fetchJson<{ readonly sections: readonly Section[] }>('suite.json');
  const environment = await describeEnvironment();
  window.result = { environment, rows } satisfies BenchResult;
  console.log(`environment ${JSON.stringify(environment)}`);
  for (const [place, model] of models.entries()) {
    await runModel(model, sections, environment, time, place < models.length - 1);
  }
}

async function runModel(
  model: BenchModel,
  sections: readonly Section[],
  environment: Environment,
  time: PageTime,
  isBeforeOthers: boolean,
): Promise<void> {
  const expected = await fetchExpected(model.expected);
  const ofOnnx = model.onnxExpected === undefined ? expected : await fetchExpected(model.onnxExpected);
  const numCalls = environment.isSoftware ? callsWithoutTimes : callsPerSection;
  let firstBits: Uint32Array | undefined;
  const running = sections.filter(({ engine }) => engine !== 'ort' || model.onnx !== undefined);
  for (const section of running) {
    const engine = engines[section.engine];
    const header = {
      model: model.name,
      engine: engine.name,
      ...(section.engine === 'ort' && { file: model.onnx }),
      section: describeSection(section),
      earlierSections: rows.filter((row) => row.engine === engine.name).length,
      place: rows.length + 1,
    };
    try {
      const scores = section.engine === 'ort' ? ofOnnx : expected;
      const limitMs = time.sectionLimitMs(isBeforeOthers || section !== running.at(-1));
      const { outcome, bits } = await withinLimit(
        limitMs,
        (say) => runSection(engine, model, scores, section, numCalls, say),
        (doing) => {
          console.log(`${model.name}, ${engine.name}, ${header.section}: busy with ${doing}`);
        },
      );
      if (section.engine === 'tromino') firstBits ??= bits;
      const isComparable = section.engine === 'tromino' && bits && firstBits;
      const row = {
        ...header,
        ...outcome,
        ...(isComparable && { sameBitsAsFirst: sameBits(bits, firstBits ?? bits) }),
      };
      report(environment.isSoftware ? withoutTimes(row) : row);
    } catch (error) {
      report({
        ...header,
        error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      });
    }
  }
}

function report(row: Row): void {
  rows.push(row);
  console.log(`row ${JSON.stringify(row)}`);
}

/** A software adapter's times say nothing about a GPU, so they are not even written down. */
function withoutTimes({ loadMs, callsMs, phases, profile, planBuildMs, ...row }: Row): Row {
  const hasTimes = loadMs ?? callsMs ?? phases ?? profile ?? planBuildMs;
  return { ...row, ...(hasTimes !== undefined && { untimed: 'software adapter: times not reported' }) };
}

/** Lists in lists, as the export scripts write scores of tokens. */
type Nested = readonly (number | Nested)[];

async function fetchExpected(path: string): Promise<ExpectedScores> {
  const { scores, ...rest } = await fetchJson<Omit<ExpectedScores, 'scores'> & { readonly scores: Nested }>(
    path,
  );
  return { ...rest, scores: flatten(scores) };
}

function flatten(list: Nested): readonly number[] {
  return list.flatMap((item) => (typeof item === 'number' ? item : flatten(item)));
}

async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetch(new URL(path, location.href));
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return (await response.json()) as T;
}

runPage(main);
