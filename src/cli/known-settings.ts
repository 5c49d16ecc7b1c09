import { presentNames } from '../core/model/default-series.ts';
import { modelConfigSchema } from '../core/model/config-schema.ts';
import type { CommandContext } from './context.ts';

/**
 * Warns of names of settings that are neither in `known` nor Juju's, whose values may be unset. They are set
 * nevertheless, as other clients keep their own.
 */
export function warnOfUnknown(
  context: CommandContext,
  names: readonly string[],
  { known, which }: { readonly known: object; readonly which: 'current' | 'known' },
): void {
  for (const name of presentNames(names))
    if (!Object.hasOwn(known, name) && !Object.hasOwn(modelConfigSchema, name))
      context.warning(
        `key "${name}" is not defined in the ${which} model configuration: possible misspelling`,
      );
}

/** Warns of settings whose values are kept without effect (model-settings.md#without-effect). */
export function warnOfKept(context: CommandContext, names: readonly string[]): void {
  for (const name of names)
    if (Object.hasOwn(modelConfigSchema, name) && modelConfigSchema[name]?.hasEffect === false)
      context.warning(`key "${name}" is kept, and has no effect on this controller`);
}
