import { locateCheckpoint } from '../checkpoint_location.ts';
import { count, describeAdapter, formatBytes, formatTable } from '../report.ts';
import type { Inspection } from '../sessions/protocol.ts';
import { openSession } from '../sessions/open_session.ts';
import type { BackendName } from '../sessions/session.ts';

/** Options of the `inspect` command. */
export interface InspectOptions {
  readonly backend: BackendName;
  readonly numTokens: number;
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/**
 * Prints a checkpoint's configuration and tensors, and the bytes that one run on it is planned to take.
 *
 * @returns the exit code
 */
export async function inspect(
  folder: string,
  { backend, numTokens, json, signal }: InspectOptions,
): Promise<number> {
  const location = locateCheckpoint(folder);
  await using session = await openSession(backend, signal);
  const inspection = await session.request('inspect', { source: session.sourceOf(location), numTokens });
  console.log(
    json
      ? JSON.stringify({ folder, backend, ...inspection }, undefined, 2)
      : formatInspection(folder, backend, inspection),
  );
  return 0;
}

function formatInspection(folder: string, backend: BackendName, inspection: Inspection): string {
  const { adapter, family, head, tensors, numParameters, totalBytes, maxTokens, numTokens, plannedBytes } =
    inspection;
  return [
    `${folder} · ${family} ${head}, up to ${count(maxTokens, 'token')} · ${backend} on ${describeAdapter(adapter)}`,
    'config',
    formatTable(flatEntries(inspection.config).map(([key, value]) => [`  ${key}`, value])),
    `${count(tensors.length, 'tensor')}, ${count(numParameters, 'parameter')}, ${formatBytes(totalBytes)}`,
    formatTable(
      tensors.map(({ name, dtype, shape, sizeBytes, bitsPerWeight, file }) => [
        `  ${name}`,
        dtype,
        `[${shape.join(', ')}]`,
        formatBytes(sizeBytes),
        `${Number(bitsPerWeight.toFixed(2))} bits per weight`,
        file,
      ]),
    ),
    `planned bytes for one call of ${count(numTokens, 'token')}`,
    formatTable(
      Object.entries(plannedBytes).map(([category, sizeBytes]) => [
        `  ${category}`,
        formatBytes(sizeBytes),
        `${sizeBytes} bytes`,
      ]),
    ),
  ].join('\n');
}

/** A configuration's values by dotted key, in their order. */
function flatEntries(value: unknown, prefix = ''): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[prefix, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatEntries(inner, prefix === '' ? key : `${prefix}.${key}`),
  );
}
