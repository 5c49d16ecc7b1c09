/** Base of new machines, by its own name or by the name of its series (cli.md#series). */
import { baseOfSeries, parseBase, type Base } from '../core/base.ts';
import { notValid } from '../core/errors.ts';
import { UsageError } from './errors.ts';
import { text } from './flags.ts';

export const seriesFlag = {
  series: text('--series', 'Former way to give the base: --series jammy is --base ubuntu@22.04'),
};

/** Returns the base that the flags name. Errors: UsageError for both flags; `not valid`. */
export function baseOfFlags(
  { base, series }: { readonly base: string; readonly series: string },
  prefix = '',
): Base | undefined {
  if (base && series)
    throw new UsageError(`--${prefix}series and --${prefix}base cannot be specified together`);
  if (base) return parseBase(base);
  if (!series) return undefined;
  const found = baseOfSeries(series);
  if (!found)
    throw notValid(
      `series "${series}" is not known: use --${prefix}base, as in --${prefix}base ubuntu@24.04`,
    );
  return found;
}
