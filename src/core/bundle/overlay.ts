import { isMap, type Raw } from '../charm/raw.ts';
import { parseEndpointText } from '../relation/key.ts';
import { JujuError, notValid } from '../errors.ts';

/**
 * Merges a file's documents and those of its overlays: the first is the bundle, each further one is laid over the
 * result.
 */
export function mergeDocuments(documents: readonly unknown[]): unknown {
  const [base, ...overlays] = documents;
  return overlays.reduce((below, overlay) => applyOverlay(below, overlay), base);
}

/**
 * Lays an overlay over a bundle. Both are parsed YAML, as an absent key differs from an empty one. As in Juju, an
 * application or saas without any content is removed with its relations; in others, values are replaced and maps
 * (options, annotations, …) merged, as are those of model files (settings, access, …); machines are replaced as a
 * whole; relations are added. A null removes its key. Errors: `not valid`.
 */
function applyOverlay(base: unknown, overlay: unknown): Raw {
  const below = asMap(base, 'the bundle');
  const above = asMap(overlay, 'the overlay');
  const {
    applications: changedApplications,
    services: changedServices,
    saas: changedSaas,
    relations,
    ...rest
  } = above;
  const changes = { ...asMap(changedServices, 'services'), ...asMap(changedApplications, 'applications') };
  const consumed = asMap(changedSaas, 'saas');
  const removed = new Set(
    [changes, consumed].flatMap((map) => Object.keys(map).filter((name) => map[name] === null)),
  );
  const { applications, services, saas, ...others } = below;
  const baseApplications = { ...asMap(services, 'services'), ...asMap(applications, 'applications') };
  const keptRelations = asList(below['relations']).filter((relation) => !mentions(relation, removed));
  return {
    ...mergeMaps(others, rest, 0),
    ...Object.fromEntries(
      ofModelFiles.flatMap((key) => (isMap(rest[key]) ? [[key, mergeMaps(others[key], rest[key])]] : [])),
    ),
    ...((saas ?? changedSaas) ? { saas: mergeMaps(asMap(saas, 'saas'), consumed) } : {}),
    applications: mergeMaps(baseApplications, changes),
    relations: appended(keptRelations, asList(relations)),
  };
}

/** Maps of model files, which are merged as applications are: an overlay that says one value keeps the others. */
const ofModelFiles = ['settings', 'access', 'secrets', 'storage-pools'];

/**
 * Merges two maps, a missing one counting as empty; a null in the overlay removes its key. `depth`: levels of maps in
 * them that are merged, too: those of applications by name have two, for their options.
 */
function mergeMaps(base: unknown, overlay: Raw, depth = 2): Raw {
  const result = new Map(isMap(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(overlay)) {
    if (value === null) result.delete(key);
    else result.set(key, depth > 0 && isMap(value) ? mergeMaps(result.get(key), value, depth - 1) : value);
  }
  return Object.fromEntries(result);
}

/** Appends entries that are not present yet. */
function appended(base: readonly unknown[], added: readonly unknown[]): unknown[] {
  const known = new Set(base.map((relation) => JSON.stringify(relation)));
  return [...base, ...added.filter((relation) => !known.has(JSON.stringify(relation)))];
}

function mentions(relation: unknown, removed: ReadonlySet<string>): boolean {
  if (!Array.isArray(relation) || removed.size === 0) return false;
  return relation.flat().some((end) => typeof end === 'string' && removed.has(applicationOf(end)));
}

/** The application of an end; parse-bundle.ts reports malformed ends. */
function applicationOf(end: string): string {
  try {
    return parseEndpointText(end).application;
  } catch (error) {
    if (error instanceof JujuError) return '';
    throw error;
  }
}

function asMap(value: unknown, path: string): Raw {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) throw notValid(`${path}: expected a map`);
  return value;
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw notValid('relations: expected a list');
  return value;
}
