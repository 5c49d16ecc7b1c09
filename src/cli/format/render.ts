import { toYaml } from './yaml.ts';

/** Renders a value as json or yaml. Other formats are up to the command. */
export function render(
  format: string,
  value: unknown,
  customFormats: Readonly<Record<string, () => string>> = {},
): string {
  const special = customFormats[format];
  if (special) return special();
  return format === 'json' ? `${JSON.stringify(value)}\n` : toYaml(value);
}
