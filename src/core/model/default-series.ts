/** `default-series`, the former name of the setting `default-base` (model-settings.md#default-series). */
import { baseOfSeries, formatBase, parseBase, sameBase, seriesOfBase } from '../base.ts';
import { notValid } from '../errors.ts';

const former = 'default-series';
const current = 'default-base';

type Values = Readonly<Record<string, unknown>>;

/** The given values, with the base in place of a series; both may be given when they agree. Errors: `not valid`. */
export function withDefaultBase(given: Values): Values {
  if (!Object.hasOwn(given, former)) return given;
  const { [former]: series, ...others } = given;
  const both = Object.hasOwn(others, current);
  if (both && series === '') return others;
  const base = typeof series === 'string' && series !== '' ? baseOfSeries(series) : undefined;
  if (!base && series !== '') throw notValid(`${former}: series ${JSON.stringify(series)} is not known`);
  if (!both) return { ...others, [current]: base ? formatBase(base) : '' };
  const stated = others[current];
  if (base && typeof stated === 'string' && stated !== '' && sameBase(parseBase(stated), base)) return others;
  throw notValid(`cannot set both ${former} and ${current}`);
}

/**
 * Settings as they are shown: the series stands beside the base, with the same source; '' for a base without a series.
 */
export function withDefaultSeries<S extends string>(
  settings: Readonly<Record<string, { readonly value: unknown; readonly source: S }>>,
): Record<string, { readonly value: unknown; readonly source: S }> {
  const setting = settings[current];
  if (!setting) return { ...settings };
  const { value: base, source } = setting;
  const series = typeof base === 'string' && base !== '' ? seriesOfBase(parseBase(base)) : '';
  return { ...settings, [former]: { value: series, source } };
}

/** Names of settings, with `default-base` in place of its former name. */
export function presentNames(names: readonly string[]): readonly string[] {
  return names.map((name) => (name === former ? current : name));
}

/** Whether the setting only shows another one under its former name. */
export function isFormerName(name: string): boolean {
  return name === former;
}
