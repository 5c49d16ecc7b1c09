import { UsageError } from '../errors.ts';

/** Parses `--resource name=value` flags, or arguments of that form. Errors: UsageError. */
export function parseResourceFlags(
  flags: readonly string[],
  what = 'name=path format for --resource',
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const flag of flags) {
    const equals = flag.indexOf('=');
    const name = flag.slice(0, Math.max(equals, 0));
    const value = flag.slice(equals + 1);
    if (name === '' || value === '') throw new UsageError(`expected ${what}, got "${flag}"`);
    if (Object.hasOwn(values, name)) throw new UsageError(`resource "${name}" is given twice`);
    values[name] = value;
  }
  return values;
}
