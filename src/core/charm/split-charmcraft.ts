import { parseBases } from './bases.ts';
import { isMap, readMap, type Raw } from './raw.ts';

/** Keys copied from charmcraft.yaml to metadata.yaml. */
const metadataKeys = [
  'name',
  'summary',
  'description',
  'assumes',
  'charm-user',
  'containers',
  'devices',
  'extra-bindings',
  'peers',
  'provides',
  'requires',
  'resources',
  'series',
  'storage',
  'subordinate',
  'terms',
] as const;

/** Keys copied under another name, with their source. */
const renamed: Readonly<Record<string, string>> = {
  contact: 'maintainers',
  documentation: 'docs',
  issues: 'issues',
  source: 'source',
  website: 'website',
};

/**
 * The files that charmcraft makes of charmcraft.yaml (as parsed) when it packs the charm: metadata.yaml, config.yaml,
 * actions.yaml and manifest.yaml, each absent when it would be empty. Errors: `not valid`.
 */
export function splitCharmcraft(raw: unknown): Readonly<Record<string, Raw>> {
  const charmcraft = readMap(raw, 'charmcraft.yaml');
  const bases = parseBases(undefined, charmcraft);
  return {
    // A charmcraft.yaml without a name belongs to a charm with a metadata.yaml of its own.
    ...(charmcraft['name'] === undefined ? {} : { 'metadata.yaml': metadataOf(charmcraft) }),
    ...(isMap(charmcraft['config']) ? { 'config.yaml': charmcraft['config'] } : {}),
    ...(isMap(charmcraft['actions']) ? { 'actions.yaml': charmcraft['actions'] } : {}),
    ...(bases.length > 0 ? { 'manifest.yaml': { bases: bases.map((base) => ({ ...base })) } } : {}),
  };
}

function metadataOf(charmcraft: Raw): Raw {
  const links = readMap(charmcraft['links'], 'charmcraft.yaml: links');
  const own = metadataKeys.flatMap((key) => (charmcraft[key] === undefined ? [] : [[key, charmcraft[key]]]));
  const linked = Object.entries(renamed).flatMap(([key, name]) => {
    const value = links[key];
    if (value === undefined) return [];
    return [[name, key === 'contact' ? [value].flat() : value]];
  });
  const title = charmcraft['title'] === undefined ? [] : [['display-name', charmcraft['title']]];
  return Object.fromEntries([...own, ...title, ...linked]) as Raw;
}
