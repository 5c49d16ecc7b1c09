/** Refresh of one application: checked by the charm's own files as far as they tell, then sent and set. */
import type { Connection } from '../../client/connection.ts';
import { allOk, call, errorOf, only, type ResultOf } from '../../client/calls.ts';
import { checkRefresh, type RefreshRequest } from '../../core/application/check-refresh.ts';
import { bindable } from '../../core/application/bindings.ts';
import type { RollingRequest } from '../../core/rollout/rollout.ts';
import { defaultSpace } from '../../core/space/document.ts';
import { makeBase } from '../../core/base.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { applicationTag } from '../../wire/tags.ts';
import { checkStorageNames } from '../../core/storage/check-storage.ts';
import type { StorageDirective } from '../../core/storage/directive.ts';
import { directivesToWire, optionTexts } from '../deploy/call-deploy.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { checkResourceNames, sendResources, type ResourceSource } from '../deploy/resources.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';

export type RefreshEvent =
  /** The upload is complete: the model has the charm. */
  | { readonly kind: 'charm added'; readonly charm: string; readonly charmUrl: string }
  /** The application has the charm; its endpoints are in these spaces. */
  | {
      readonly kind: 'refreshed';
      readonly application: string;
      /** Endpoints by space that stay in it. */
      readonly kept: ReadonlyMap<string, readonly string[]>;
      /** Endpoints that the charm before lacked. */
      readonly added: readonly string[];
    };

/** The charm to refresh to: files of the client, or the URL of a charm that the model has. */
export type RefreshTarget = { readonly source: CharmSource } | { readonly charmUrl: string };

export interface CharmRefresh extends RefreshRequest {
  readonly application: string;
  readonly target: RefreshTarget;
  /** Units whose hook has failed take the charm, too. */
  readonly forceUnits: boolean;
  /** Set when units are upgraded in batches. */
  readonly rolling?: RollingRequest;
  /** Directives for units to come, and for the storage that all get with the charm. */
  readonly storage?: Readonly<Record<string, StorageDirective>>;
  /** Reads the contents that the user gives, by the resources that the charm declares. */
  readonly readResources?: (resources: CharmMeta['resources']) => Promise<readonly ResourceSource[]>;
}

export type RefreshResult = ResultOf<'Application', 'SetCharm'> & { readonly charmUrl: string };

/**
 * Gives the application another charm. Errors: `not found`; `not supported` for charms of a store; '' for the files of a
 * charm with another name; those of checkRefresh, before anything is sent; the controller's.
 */
export async function refreshCharm(
  operator: Operator<RefreshEvent>,
  session: ModelSession,
  refresh: CharmRefresh,
): Promise<RefreshResult> {
  const { application, target, trust } = refresh;
  const { connection } = session;
  const { url, 'charm-origin': origin } = await call(connection, 'Application', 'GetCharmURLOrigin', {
    application,
    branch: 'master',
  });
  const before = await applicationOf(connection, application);
  let charmUrl: string;
  let resources: readonly ResourceSource[];
  if ('source' in target) {
    const { charm } = target.source;
    const { name } = charm.meta;
    const oldName = nameOf(url);
    if (oldName !== name) throw new JujuError('', `cannot refresh "${oldName}" to "${name}"`);
    refuseByFiles(refresh, charm, before);
    resources = await contentsFor(connection, refresh, charm.meta.resources);
    charmUrl = await target.source.upload(operator, session);
    operator.report({ kind: 'charm added', charm: name, charmUrl });
  } else {
    charmUrl = target.charmUrl;
    const { meta } = await call(connection, 'Charms', 'CharmInfo', { url: charmUrl });
    const declared = Object.values(meta?.resources ?? {});
    resources = await contentsFor(
      connection,
      refresh,
      Object.fromEntries(declared.map((one) => [one.name, one])),
    );
  }
  const pending = await sendResources(operator, session, { application, charmUrl, resources });
  const params = {
    application,
    generation: 'master',
    'charm-url': charmUrl,
    // A local charm has no channel, no id and no hash.
    'charm-origin': {
      source: 'local',
      type: 'charm',
      id: '',
      ...defined({
        architecture: origin.architecture,
        base: refresh.base ? { ...refresh.base } : origin.base,
      }),
    },
    channel: '',
    'config-settings': optionTexts(refresh.config),
    force: refresh.force,
    'force-units': refresh.forceUnits,
    'force-base': refresh.forceBase,
    ...defined({ 'storage-constraints': directivesToWire(refresh.storage) }),
    ...(Object.keys(pending).length > 0 && { 'resource-ids': pending }),
    ...(Object.keys(refresh.endpointBindings).length > 0 && {
      'endpoint-bindings': { ...refresh.endpointBindings },
    }),
  };
  const { rolling } = refresh;
  const answer = rolling
    ? await call(connection, 'Rollouts', 'Begin', {
        ...params,
        'max-unavailable': rolling.maxUnavailable,
        'wait-for': rolling.waitFor,
        'pause-after-canary': rolling.pauseAfterCanary,
      })
    : await call(connection, 'Application', 'SetCharm', params);
  if (trust !== undefined) await setTrust(connection, application, trust);
  const meta = 'source' in target ? target.source.charm.meta : undefined;
  operator.report({ kind: 'refreshed', application, ...endpointsOf(before, meta) });
  return { ...answer, charmUrl };
}

type ApplicationInfo = NonNullable<ResultOf<'Application', 'ApplicationsInfo'>['results'][number]['result']>;

async function applicationOf(connection: Connection, name: string): Promise<ApplicationInfo> {
  const { results } = await call(connection, 'Application', 'ApplicationsInfo', {
    entities: [{ tag: applicationTag(name) }],
  });
  const { result } = only(results);
  if (!result) throw new JujuError('not found', `application "${name}" not found`);
  return result;
}

/**
 * The contents that the user gives. Errors: `not valid` for names that the charm does not declare; '' for a resource that
 * is new in the charm and not given.
 */
async function contentsFor(
  connection: Connection,
  { application, readResources }: CharmRefresh,
  declared: CharmMeta['resources'],
): Promise<readonly ResourceSource[]> {
  if (Object.keys(declared).length === 0 && !readResources) return [];
  const sources = (await readResources?.(declared)) ?? [];
  checkResourceNames(
    { resources: declared },
    sources.map(({ name }) => name),
  );
  const { results } = await call(connection, 'Resources', 'ListResources', {
    entities: [{ tag: applicationTag(application) }],
  });
  const listed = only(results);
  if (listed.error) throw errorOf(listed.error);
  const known = new Set([...listed.resources, ...sources].map(({ name }) => name));
  for (const name of Object.keys(declared))
    if (!known.has(name))
      throw new JujuError('', `new resource "${name}" was missing, please provide it via --resource`);
  return sources;
}

/** Refuses what the charm's files and the application tell; only the controller knows all relations. */
function refuseByFiles(request: CharmRefresh, charm: ParsedCharm, info: ApplicationInfo): void {
  checkStorageNames(charm.meta.storage, request.storage ?? {});
  const files = { url: `local:${charm.meta.name}`, ...charm };
  checkRefresh(request, {
    application: {
      name: request.application,
      base: makeBase(info.base.name, info.base.channel),
      subordinate: !info.principal,
      config: {},
      endpointBindings: {},
      ...defined({ require: info.require }),
    },
    from: files,
    to: files,
    relations: [],
  });
}

async function setTrust(connection: Connection, application: string, trust: boolean): Promise<void> {
  const { results } = await call(connection, 'Application', 'SetConfigs', {
    Args: [{ application, generation: 'master', config: optionTexts({ trust }), 'config-yaml': '' }],
  });
  allOk(results, () => application);
}

/** The name in a charm's URL: `local:mysql-3` → `mysql`. */
function nameOf(url: string): string {
  return url.replace(/^[a-z]+:/, '').replace(/-\d+$/, '');
}

function endpointsOf(
  { 'endpoint-bindings': bindings }: ApplicationInfo,
  meta: CharmMeta | undefined,
): { readonly kept: Map<string, string[]>; readonly added: string[] } {
  const names = meta ? bindable(meta).sort() : [];
  const added = names.filter((name) => !Object.hasOwn(bindings, name));
  const rest = names.filter((name) => Object.hasOwn(bindings, name));
  return { kept: Map.groupBy(rest, (name) => bindings[name] || defaultSpace), added };
}
