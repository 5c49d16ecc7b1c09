import { toYaml } from './yaml.ts';

/** json and yaml of a value; other formats are the command's own. */
export function render(
  format: string,
  value: unknown,
  own: Readonly<Record<string, () => string>> = {},
): string {
  const special = own[format];
  if (special) return special();
  return format === 'json' ? `${JSON.stringify(value)}\n` : toYaml(value);
}
