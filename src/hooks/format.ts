import { UsageError } from '../kit/gnuflag.ts';
import { toYaml } from '../kit/yaml/write.ts';
import type { Format } from './tool.ts';

/** Parses the name of a format. Errors: UsageError for an unknown one. */
export function parseFormat(text: string, known: readonly Format[] = ['smart', 'json', 'yaml']): Format {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `invalid value ${JSON.stringify(text)} for option --format: unknown format ${JSON.stringify(text)}`,
  );
}

/**
 * Formats a tool's value as text that ends in a newline, or '' for no output. `smart` is for shells: text as it is, a
 * list's items one per line, maps as YAML, nothing for null (hook-tools.md#formats).
 */
export function format(value: unknown, output: Format): string {
  const shown = value ?? null;
  switch (output) {
    case 'json':
      return `${JSON.stringify(sorted(shown))}\n`;
    case 'yaml':
      return shown === null ? 'null\n' : toYaml(sorted(shown));
    case 'smart':
      return smart(shown);
  }
}

function smart(value: NonNullable<unknown> | null): string {
  if (value === null || value === '') return '';
  if (typeof value === 'boolean') return value ? 'True\n' : 'False\n';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? '' : `${value.join('\n')}\n`;
  }
  return typeof value === 'object' ? toYaml(sorted(value)) : `${String(value as string | number)}\n`;
}

/** Sorts keys, so that equal values print equally. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
