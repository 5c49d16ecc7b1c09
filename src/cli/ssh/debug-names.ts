/** Names of hooks and actions that debug-hooks and debug-code may catch. */
import { UsageError } from '../errors.ts';
import type { ResultOf } from '../../client/calls.ts';

type Charm = Pick<ResultOf<'Charms', 'CharmInfo'>, 'meta' | 'actions'>;

const ofUnit = [
  'install',
  'start',
  'config-changed',
  'upgrade-charm',
  'stop',
  'remove',
  'update-status',
  'leader-elected',
  'leader-settings-changed',
  'pre-series-upgrade',
  'post-series-upgrade',
  'secret-changed',
  'secret-expired',
  'secret-remove',
  'secret-rotate',
];
const ofEndpoint = ['created', 'joined', 'changed', 'departed', 'broken'];

/** Returns all hooks that a charm may have, sorted. */
function hooksOf({ meta }: Charm): string[] {
  const endpoints = ['juju-info', meta.provides, meta.requires, meta.peers].flatMap((some) =>
    typeof some === 'string' ? [some] : Object.keys(some ?? {}),
  );
  return [
    ...ofUnit,
    ...[...new Set(endpoints)].flatMap((name) => ofEndpoint.map((kind) => `${name}-relation-${kind}`)),
    ...Object.keys(meta.storage ?? {}).flatMap((name) => [
      `${name}-storage-attached`,
      `${name}-storage-detaching`,
    ]),
  ].sort();
}

/** Returns the names to catch; none = all. Errors: UsageError for a name that the charm cannot have. */
export function namesToCatch(unit: string, charm: Charm, names: readonly string[]): readonly string[] {
  if (names.includes('*')) return [];
  const hooks = hooksOf(charm);
  const actions = Object.keys(charm.actions?.specs ?? {}).sort();
  for (const name of names)
    if (!hooks.includes(name) && !actions.includes(name))
      throw new UsageError(
        `unit "${unit}" contains neither hook nor action "${name}", valid actions are [${actions.join(' ')}] and valid hooks are [${hooks.join(' ')}]`,
      );
  return [...new Set(names)];
}
