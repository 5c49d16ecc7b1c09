import { formatBases, sameBase, formatBase, type Base } from '../base.ts';
import type { CharmDoc } from '../charm/document.ts';
import { checkSupported } from '../charm/check-supported.ts';
import { fittingValues, parseConfigValues } from '../charm/config.ts';
import { checkLxdProfile } from '../charm/lxd-profile.ts';
import { endpointsOf, isImplicit, type CharmMeta, type ConfigValue } from '../charm/metadata.ts';
import { JujuError } from '../errors.ts';
import type { RelationDoc, RelationEndpoint } from '../relation/document.ts';
import { formatEndpoint } from '../relation/key.ts';
import { checkStorageChange } from '../storage/check-storage-change.ts';
import { storageSpecs } from '../storage/spec.ts';
import { checkRequired } from '../requirements/check-required.ts';
import type { ApplicationDoc } from './document.ts';
import { checkBindings, mergeBindings, type KnownSpaces } from './bindings.ts';
import { defaultSpace } from '../space/document.ts';

/** Another charm for an application, as flags, a bundle or a frame ask for it. */
export interface RefreshRequest {
  /** Values of the new charm's options, typed or as text; they win over those that are kept. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly trust?: boolean;
  /** Endpoint → space; '' stands for all endpoints. Endpoints that are not named stay where they are. */
  readonly endpointBindings: Readonly<Record<string, string>>;
  /** Allows unmet assumptions, LXD profiles, and more relations than an endpoint takes. */
  readonly force: boolean;
  /** Allows a base that the new charm does not name, of an operating system that the charm names. */
  readonly forceBase: boolean;
  /** The base of units from now on; absent: the application's (refresh.md#refreshed-base). */
  readonly base?: Base;
}

type RefreshCharm = Pick<CharmDoc, 'url' | 'meta' | 'config' | 'bases' | 'lxdProfile'>;

/** The state of an application that its refresh is checked against. */
export interface RefreshSnapshot {
  readonly application: Pick<
    ApplicationDoc,
    'name' | 'base' | 'subordinate' | 'config' | 'endpointBindings' | 'require'
  >;
  readonly from: RefreshCharm;
  readonly to: RefreshCharm;
  /** Metadata of the other charms that units still run. */
  readonly older?: readonly CharmMeta[];
  /** Relations of the application, peer relations included. */
  readonly relations: Iterable<Pick<RelationDoc, 'key' | 'endpoints' | 'life'>>;
  /** The model's spaces; absent: a client does not know them. */
  readonly spaces?: KnownSpaces;
  /** Whether a unit of the application has storage of that name; absent: a client does not know. */
  readonly isStorageUsed?: (name: string) => boolean;
}

interface CheckedRefresh {
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly endpointBindings: Readonly<Record<string, string>>;
}

/**
 * Judges a refresh by the charm that the application has, by the one that it gets and by its relations
 * (refresh.md#checks). Errors: those of the checks, each with the application and the charm's URL.
 */
export function checkRefresh(request: RefreshRequest, snapshot: RefreshSnapshot): CheckedRefresh {
  const { application, from, to } = snapshot;
  const { force } = request;
  try {
    const given = parseConfigValues(to.config, request.config);
    checkSupported(to.meta, force);
    if (isOldFormat(to) && !isOldFormat(from)) throw plain('cannot downgrade from v2 charm format to v1');
    if (to.meta.subordinate !== application.subordinate)
      throw plain("cannot change an application's subordinacy");
    checkBase(request.base ?? application.base, to.bases, request.forceBase);
    if (to.lxdProfile && !force) checkLxdProfile(to.lxdProfile);
    checkStorageChange(
      storageSpecs(from.meta.storage),
      storageSpecs(to.meta.storage),
      snapshot.isStorageUsed,
    );
    checkRequired(to.meta, application.require ?? []);
    checkRelations(snapshot, force);
    return {
      config: { ...fittingValues(to.config, application.config), ...given },
      endpointBindings: mergedBindings(request, snapshot),
    };
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(
      error.code,
      `cannot upgrade application "${application.name}" to charm "${to.url}": ${error.message}`,
      { cause: error },
    );
  }
}

/** Whether a relation's end is one that the charm still has (refresh.md#relations-kept). */
function isImplemented(meta: Pick<CharmMeta, 'endpoints'>, end: RelationEndpoint): boolean {
  if (isImplicit(end)) return true;
  const all = endpointsOf(meta);
  const own = Object.hasOwn(all, end.name) ? all[end.name] : undefined;
  if (own?.role !== end.role || own.interface !== end.interface) return false;
  // One end of container scope makes the relation one of containers, whatever the other end declares.
  return end.scope === 'container' || own.scope === 'global';
}

function checkRelations({ application, to, relations }: RefreshSnapshot, force: boolean): void {
  const counts = new Map<string, number>();
  for (const { key, endpoints } of relations) {
    if (endpoints[0]?.role === 'peer') continue;
    for (const end of endpoints) {
      if (end.application !== application.name) continue;
      if (!isImplemented(to.meta, end)) throw plain(`would break relation "${key}"`);
      counts.set(end.name, (counts.get(end.name) ?? 0) + 1);
    }
  }
  if (force) return;
  for (const [name, count] of counts) {
    const limit = to.meta.endpoints[name]?.limit ?? 0;
    if (limit > 0 && count > limit)
      throw new JujuError(
        'quota limit exceeded',
        `${formatEndpoint({ application: application.name, name })} has ${count} relations, and the new charm allows ${limit}`,
      );
  }
}

/**
 * Checks the base of a refresh. Errors: `not valid` for a base that the charm does not name; with `forceBase` only
 * another operating system is refused.
 */
export function checkBase(base: Base, bases: readonly Base[], forceBase: boolean): void {
  if (bases.length === 0 || bases.some((one) => sameBase(one, base))) return;
  const supported = `supported bases are: ${formatBases(bases)}`;
  if (!forceBase)
    throw new JujuError('not valid', `base "${formatBase(base)}" not supported by charm, ${supported}`);
  if (!bases.some(({ name }) => name === base.name))
    throw new JujuError('not valid', `OS "${base.name}" not supported by charm, ${supported}`);
}

/** Charms of the first format name series, or no base at all; those of the second name bases. */
function isOldFormat({ meta, bases }: RefreshCharm): boolean {
  return meta.series.length > 0 || bases.length === 0;
}

/** The bindings after the request's changes, which are made as `bind` makes them. Errors: those of checkBindings. */
function mergedBindings(
  { endpointBindings: asked }: RefreshRequest,
  { application: { endpointBindings: before }, from, to: { meta }, older = [], spaces }: RefreshSnapshot,
): Record<string, string> {
  checkBindings(asked, meta, spaces);
  const known = spaces ?? { has: () => true, fallback: defaultSpace };
  return mergeBindings(before, asked, meta, known, [from.meta, ...older]);
}

function plain(message: string): JujuError {
  return new JujuError('', message);
}
