/** Any value as messages show it: short, on one line. Callers without types may pass anything, so it never throws. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length <= 60 ? value : `${value.slice(0, 57)}...`);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return String(value);
  }
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const { name } = (value as { readonly constructor?: { readonly name?: unknown } }).constructor ?? {};
  return typeof name === 'string' && name !== 'Object' && name !== ''
    ? `a value of type ${name}`
    : 'an object';
}
