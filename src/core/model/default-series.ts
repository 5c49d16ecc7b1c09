/** `default-series`, the former name of the setting `default-base` (model-settings.md#default-series). */
import { baseOfSeries, formatBase } from '../base.ts';
import { notValid } from '../errors.ts';

const former = 'default-series';
const current = 'default-base';

/** Values that were given, with the base in place of a series. Errors: `not valid`. */
export function withDefaultBase(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(given, former)) return given;
  const { [former]: series, ...others } = given;
  if (Object.hasOwn(others, current)) throw notValid(`${current} and ${former} cannot both be set`);
  const base = typeof series === 'string' && series !== '' ? baseOfSeries(series) : undefined;
  if (!base && series !== '') throw notValid(`${former}: series ${JSON.stringify(series)} is not known`);
  return { ...others, [current]: base ? formatBase(base) : '' };
}

/** Names of settings with the present one in place of the former. */
export function presentNames(names: readonly string[]): readonly string[] {
  return names.map((name) => (name === former ? current : name));
}
