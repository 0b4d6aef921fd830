/** Bytes for people: `4.56 MB`, decimal units, three digits. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = sizeBytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = unit === 0 ? String(value) : value.toPrecision(3);
  return `${text} ${units[unit] ?? ''}`;
}

/** Milliseconds with a precision that fits their size: `4.21 ms`, `84.3 ms`, `1 204 ms`. */
export function formatMs(durationMs: number): string {
  if (durationMs < 10) return `${durationMs.toFixed(2)} ms`;
  if (durationMs < 100) return `${durationMs.toFixed(1)} ms`;
  return `${formatInteger(Math.round(durationMs))} ms`;
}

/** A whole number with thin spaces between thousands. */
export function formatInteger(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** A score with its sign, two decimals, and a real minus. */
export function formatScore(score: number): string {
  return `${score < 0 ? '−' : '+'}${Math.abs(score).toFixed(2)}`;
}

/** A probability as a percentage; what rounds to nothing or to everything says so instead of claiming it. */
export function formatProbability(probability: number): string {
  const percent = probability * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent.toFixed(1)} %`;
}
