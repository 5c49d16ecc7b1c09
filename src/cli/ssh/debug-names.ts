/** Names of hooks and actions that debug-hooks and debug-code may catch. */
import type { ResultOf } from '../../client/calls.ts';
import { hookNames } from '../../core/charm/hook-names.ts';
import { UsageError } from '../errors.ts';

type Charm = Pick<ResultOf<'Charms', 'CharmInfo'>, 'meta' | 'actions'>;

/** Returns the names to catch; none = all. Errors: UsageError for a name that the charm cannot have. */
export function namesToCatch(unit: string, charm: Charm, names: readonly string[]): readonly string[] {
  if (names.includes('*')) return [];
  const { provides, requires, peers, storage } = charm.meta;
  const endpoints = [provides, requires, peers].flatMap((some) => Object.keys(some ?? {}));
  const hooks = hookNames(endpoints, Object.keys(storage ?? {}));
  const actions = Object.keys(charm.actions?.specs ?? {}).sort();
  for (const name of names)
    if (!hooks.includes(name) && !actions.includes(name))
      throw new UsageError(
        `unit "${unit}" contains neither hook nor action "${name}", valid actions are [${actions.join(' ')}] and valid hooks are [${hooks.join(' ')}]`,
      );
  return [...new Set(names)];
}
