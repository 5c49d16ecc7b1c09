import type { Base } from '../base.ts';
import type { LxdProfile } from './document.ts';
import { parseActions } from './actions.ts';
import { parseBases } from './bases.ts';
import { parseConfig } from './config.ts';
import { parseLxdProfile } from './lxd-profile.ts';
import { parseMetadata, type ActionSpec, type CharmMeta, type ConfigOption } from './metadata.ts';
import { notValid } from '../errors.ts';
import { isMap, readMap } from './raw.ts';
import { defined } from '../defined.ts';

/** Names of the files that describe a charm. */
export const charmFiles = [
  'metadata.yaml',
  'charmcraft.yaml',
  'config.yaml',
  'actions.yaml',
  'manifest.yaml',
  'lxd-profile.yaml',
] as const;

/** The files as parsed YAML; absent where the charm has none. */
export type CharmFiles = { readonly [name in (typeof charmFiles)[number]]?: unknown };

export interface ParsedCharm {
  readonly meta: CharmMeta;
  readonly config: Readonly<Record<string, ConfigOption>>;
  readonly actions: Readonly<Record<string, ActionSpec>>;
  readonly bases: readonly Base[];
  readonly lxdProfile?: LxdProfile;
}

/**
 * Parses a charm's files. Values missing in the separate files are read from charmcraft.yaml, where a source charm may
 * have them all. Errors: `not valid`.
 */
export function parseCharm(files: CharmFiles): ParsedCharm {
  const charmcraft = readMap(files['charmcraft.yaml'], 'charmcraft.yaml');
  const metadata = files['metadata.yaml'] ?? (isMap(files['charmcraft.yaml']) ? charmcraft : undefined);
  if (metadata === undefined || metadata === null)
    throw notValid('charm has no metadata: it has neither metadata.yaml nor charmcraft.yaml');
  const stated = isMap(metadata) ? metadata : {};
  const lxdProfile = parseLxdProfile(files['lxd-profile.yaml']);
  return {
    meta: parseMetadata(metadata),
    config: parseConfig(files['config.yaml'] ?? charmcraft['config']),
    actions: parseActions(files['actions.yaml'] ?? charmcraft['actions']),
    bases: parseBases(files['manifest.yaml'], { ...charmcraft, ...stated }),
    ...defined({ lxdProfile }),
  };
}
