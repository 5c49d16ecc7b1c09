import { toYaml } from './yaml.ts';

/** Renders a value as json or yaml. Other formats are up to the command. */
export function render(
  format: string,
  value: unknown,
  own: Readonly<Record<string, () => string>> = {},
): string {
  const special = own[format];
  if (special) return special();
  return format === 'json' ? `${JSON.stringify(value)}\n` : toYaml(value);
}
