/** Names of the hooks that a charm may have. */

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

/** Returns all hooks that a charm with these endpoints and storage may have, sorted. */
export function hookNames(endpoints: Iterable<string>, storage: Iterable<string>): string[] {
  return [
    ...ofUnit,
    ...[...new Set(['juju-info', ...endpoints])].flatMap((name) =>
      ofEndpoint.map((kind) => `${name}-relation-${kind}`),
    ),
    ...[...storage].flatMap((name) => [`${name}-storage-attached`, `${name}-storage-detaching`]),
  ].sort();
}
