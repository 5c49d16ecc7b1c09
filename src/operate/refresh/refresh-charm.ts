/** Refresh of one application: checked by the charm's own files as far as they tell, then sent and set. */
import type { Connection } from '../../client/connection.ts';
import { allOk, call, errorOf, only, type ResultOf } from '../../client/calls.ts';
import { checkRefresh, type RefreshRequest } from '../../core/application/check-refresh.ts';
import type { RollingRequest } from '../../core/rollout/rollout.ts';
import { defaultSpace } from '../../core/space/document.ts';
import { makeBase } from '../../core/base.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { RefreshPlan } from '../../wire/facades/rollouts.ts';
import { applicationTag } from '../../wire/tags.ts';
import { checkStorageNames } from '../../core/storage/check-storage.ts';
import type { StorageDirective } from '../../core/storage/directive.ts';
import { directivesToWire, optionTexts } from '../deploy/call-deploy.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { checkResourceNames, sendResources, type ResourceSource } from '../deploy/resources.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';
import { refuseInRollout, rollingToWire } from './rollout.ts';

export type RefreshEvent =
  /** The upload is complete: the model has the charm. */
  | { readonly kind: 'charm added'; readonly charm: string; readonly charmUrl: string }
  /** The application has the charm; its endpoints are in these spaces. */
  | {
      readonly kind: 'refreshed';
      readonly application: string;
      /** Endpoints, by name. */
      readonly endpoints: readonly BoundEndpoint[];
    };

export interface BoundEndpoint {
  readonly name: string;
  readonly space: string;
  /** Whether the space is the application's default. */
  readonly isDefault: boolean;
  /** The previous space; absent when the previous charm lacked the endpoint. */
  readonly from?: string;
}

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

type RefreshResult = ResultOf<'Application', 'SetCharm'> & { readonly charmUrl: string };

/**
 * Gives the application another charm. Errors: `not found`; `not supported` for charms of a store; '' for the files of
 * a charm with another name; those of checkRefresh, before anything is sent; the controller's.
 */
export async function refreshCharm(
  operator: Operator<RefreshEvent>,
  session: ModelSession,
  refresh: CharmRefresh,
): Promise<RefreshResult> {
  const { application, target, trust, rolling } = refresh;
  const { connection } = session;
  const { origin, before, resources } = await prepare(connection, refresh);
  let charmUrl: string;
  if ('source' in target) {
    charmUrl = await target.source.upload(operator, session);
    operator.report({ kind: 'charm added', charm: target.source.charm.meta.name, charmUrl });
  } else charmUrl = target.charmUrl;
  const pending = await sendResources(operator, session, { application, charmUrl, resources });
  const params = {
    ...paramsOf(refresh, origin),
    'charm-url': charmUrl,
    ...(Object.keys(pending).length > 0 && { 'resource-ids': pending }),
  };
  const answer = rolling
    ? await call(connection, 'Rollouts', 'Begin', { ...params, ...rollingToWire(rolling) })
    : await call(connection, 'Application', 'SetCharm', params);
  if (trust !== undefined) await setTrust(connection, application, trust);
  const after = await applicationOf(connection, application);
  operator.report({ kind: 'refreshed', application, endpoints: endpointsOf(before, after) });
  return { ...answer, charmUrl };
}

/**
 * Returns the changes that refreshCharm would make; nothing is sent but the files that describe the charm. Errors: as
 * refreshCharm.
 */
export async function planRefresh({ connection }: ModelSession, refresh: CharmRefresh): Promise<RefreshPlan> {
  const { target, trust, rolling } = refresh;
  const { origin, resources } = await prepare(connection, refresh);
  const params = paramsOf(refresh, origin);
  const contents: Record<string, { fingerprint: string; size: number }> = {};
  for (const resource of resources)
    contents[resource.name] = { fingerprint: await resource.fingerprint(), size: resource.bytes };
  return call(connection, 'Rollouts', 'Plan', {
    ...params,
    'config-settings': { ...params['config-settings'], ...optionTexts(defined({ trust })) },
    ...('source' in target
      ? { 'charm-url': '', 'charm-files': { ...target.source.files }, revision: target.source.revision }
      : { 'charm-url': target.charmUrl }),
    resources: contents,
    ...defined({ rolling: rolling && rollingToWire(rolling) }),
  });
}

type Origin = ResultOf<'Application', 'GetCharmURLOrigin'>['charm-origin'];

/** Checks the refresh by the charm's files and the application, and reads the contents that are to be sent. */
async function prepare(
  connection: Connection,
  refresh: CharmRefresh,
): Promise<{
  readonly origin: Origin;
  readonly before: ApplicationInfo;
  readonly resources: readonly ResourceSource[];
}> {
  const { application, target } = refresh;
  const { url, 'charm-origin': origin } = await call(connection, 'Application', 'GetCharmURLOrigin', {
    application,
    branch: 'master',
  });
  const before = await applicationOf(connection, application);
  let declared: CharmMeta['resources'];
  if ('source' in target) {
    const { charm } = target.source;
    const { name } = charm.meta;
    const oldName = nameOf(url);
    if (oldName !== name) throw new JujuError('', `cannot refresh "${oldName}" to "${name}"`);
    refuseByFiles(refresh, charm, before);
    await refuseInRollout(connection, application);
    declared = charm.meta.resources;
  } else {
    const { meta } = await call(connection, 'Charms', 'CharmInfo', { url: target.charmUrl });
    declared = Object.fromEntries(Object.values(meta?.resources ?? {}).map((one) => [one.name, one]));
  }
  return { origin, before, resources: await contentsFor(connection, refresh, declared) };
}

function paramsOf(refresh: CharmRefresh, origin: Origin) {
  return {
    application: refresh.application,
    generation: 'master',
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
    ...(Object.keys(refresh.endpointBindings).length > 0 && {
      'endpoint-bindings': { ...refresh.endpointBindings },
    }),
  };
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
 * The contents that the user gives. Errors: `not valid` for names that the charm does not declare; '' for a resource
 * that is new in the charm and not given.
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

/** Refuses a refresh by the charm's files and the application; only the controller knows all relations. */
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

/** The spaces in which the charm's endpoints were and are. */
function endpointsOf(
  { 'endpoint-bindings': before }: ApplicationInfo,
  { 'endpoint-bindings': after }: ApplicationInfo,
): BoundEndpoint[] {
  const fallback = after[''] || defaultSpace;
  return Object.keys(after)
    .filter((name) => name !== '')
    .sort()
    .map((name) => {
      const space = after[name] || fallback;
      const from = Object.hasOwn(before, name) ? before[name] || before[''] || defaultSpace : undefined;
      return { name, space, isDefault: space === fallback, ...defined({ from }) };
    });
}
