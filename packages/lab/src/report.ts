import type { AdapterDescription } from 'tromino';

/** One line that names an adapter and says whether it is a software one. */
export function describeAdapter({
  vendor,
  architecture,
  device,
  description,
  isSoftware,
}: AdapterDescription): string {
  if (vendor === 'cpu') return `the ${description}`; // No adapter at all, so nothing to warn of.
  const names = new Set([vendor, architecture, device, description].filter((name) => name !== ''));
  return ([...names].join(' ') || 'an unnamed adapter') + (isSoftware ? ' (software)' : '');
}

/** A byte count for people: binary units, three significant digits. */
export function formatBytes(sizeBytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10), units.length - 1);
  const value = sizeBytes / 1024 ** unit;
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit] ?? ''}`;
}

/** "1 token", "2 tokens". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Lays cells out in columns as wide as their widest cell; every line but its last cell is padded, two spaces between columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
