import { createHash } from 'node:crypto';
import { defaultSpace } from '../../core/space/document.ts';
import { impediments } from '../../core/impediments.ts';
import { unitApplication } from '../../core/names.ts';
import { charmOfUnit, isHeld } from '../../core/rollout/rollout.ts';
import { takesPart } from '../../core/relation/visible.ts';
import type { RemoteRelation, RemoteState } from '../../core/unit/remote-state.ts';
import type {
  ApplicationRecord,
  CharmSettings,
  RelationRecord,
  UnitRecord,
} from '../../wire/agent-records.ts';
import type { Mirror } from '../mirror.ts';
import { mirrorRefs } from '../mirror-refs.ts';

/** State that the mirror does not have: timers, the lease, and refused relations. */
interface Moment {
  readonly machineId: string;
  readonly leader: boolean;
  readonly bootId: string;
  /** The charm in the charm folder; '' before the first. */
  readonly charmUrl: string;
  /** The application's charmModifiedVersion when that charm was deployed. */
  readonly charmModifiedVersion: number;
  readonly retryDue: boolean;
  readonly updateStatusDue: boolean;
  /** Relations whose scope the unit could not enter. */
  readonly deferred: ReadonlySet<number>;
}

/** Returns the unit's state as nextOperation needs it; undefined while the mirror is not complete. */
export function remoteView(mirror: Mirror, unit: string, moment: Moment): RemoteState | undefined {
  const record = mirror.unit(unit);
  const application = record && mirror.application(record.application);
  if (!record || !application) return undefined;
  const charm = settingsOf(application, moment.charmUrl);
  const target = charmOfUnit(application, record);
  const relations: Record<string, RemoteRelation> = {};
  for (const relation of mirror.relations()) {
    const view = relationOf(mirror, unit, record, relation, moment);
    // An endpoint that only the application's next charm has concerns the unit once it runs that charm. The same goes
    // for a peer relation that only held units take part in.
    const isWhole = charm === application && application.rollout === undefined;
    const isKnown = isWhole || (view && Object.hasOwn(charm.endpoints, view.endpoint));
    if (view && (view.inScope || isKnown)) relations[relation.id] = view;
  }
  return {
    unit,
    life: record.life,
    forced: isForced(mirror, record),
    applicationLife: application.life,
    principalApplication: record.principal && unitApplication(record.principal),
    charmUrl: target,
    // A held unit hears of changed resources when it is released.
    charmModifiedVersion: isHeld(application, record)
      ? moment.charmModifiedVersion
      : (application.charmModifiedVersion ?? 0),
    forceCharm: application.forceCharm,
    profileAway: target === application.charmUrl && isProfileAway(mirror, application),
    configHash: configHash(mirror, application, charm),
    leader: moment.leader,
    leaderSettingsVersion: mirror.leader(record.application)?.settingsVersion ?? 0,
    bootId: moment.bootId,
    resolved: record.resolved,
    retryDue: moment.retryDue,
    updateStatusDue: moment.updateStatusDue,
    impediments:
      record.life === 'alive'
        ? []
        : impediments({ kind: 'unit', id: unit }, mirrorRefs(mirror, moment.machineId)),
    subordinates: record.subordinates.map((name) => ({ name, life: mirror.unit(name)?.life ?? 'dying' })),
    relations,
    storage: storageOf(mirror, unit),
    secrets: mirror.secrets(unit),
  };
}

/** Whether the machine can have, but does not have, the profile that the charm asks for. */
function isProfileAway(mirror: Mirror, { profile }: ApplicationRecord): boolean {
  const profiles = mirror.machine()?.profiles;
  return profile !== undefined && profiles !== undefined && !profiles.includes(profile);
}

/** Whether a unit is removed by force: nothing may hold it up (removal.md#force-one-deadline). */
export function goesByForce(mirror: Mirror, unit: string): boolean {
  const record = mirror.unit(unit);
  return record !== undefined && record.life !== 'alive' && isForced(mirror, record);
}

/**
 * Whether the removal is forced. Force covers everything that is removed with an entity
 * (removal.md#force-one-deadline).
 */
function isForced(mirror: Mirror, record: UnitRecord): boolean {
  const { application, principal } = record;
  const goesWith = [
    record,
    mirror.application(application),
    mirror.unit(principal),
    mirror.application(principal && unitApplication(principal)),
    mirror.machine(),
    mirror.model(),
  ];
  return goesWith.some((one) => one?.forced);
}

/** Settings that the unit's hooks see of the charm that it runs (refresh.md#options-of-each-charm). */
export function settingsOf(application: ApplicationRecord, charmUrl: string): CharmSettings {
  const { older } = application;
  return older && Object.hasOwn(older, charmUrl) ? (older[charmUrl] ?? application) : application;
}

function relationOf(
  mirror: Mirror,
  unit: string,
  record: UnitRecord,
  relation: RelationRecord,
  { deferred }: Moment,
): RemoteRelation | undefined {
  const ownEndpoint = relation.endpoints.find((endpoint) => endpoint.application === record.application);
  if (!ownEndpoint) return undefined;
  const peer = ownEndpoint.role === 'peer';
  const remote = peer ? ownEndpoint : relation.endpoints.find((endpoint) => endpoint !== ownEndpoint);
  if (!remote) return undefined;
  const container = ownEndpoint.scope === 'container';
  const part = {
    scope: ownEndpoint.scope,
    ...(record.principal !== '' && { principalApplication: unitApplication(record.principal) }),
    remoteApplication: remote.application,
    remoteSubordinate: remote.subordinate,
  };
  if (!takesPart(part)) return undefined;
  const ownContainer = record.principal || unit;
  const members: Record<string, number> = {};
  let own: { readonly departing: boolean } | undefined;
  for (const member of mirror.members(relation.id)) {
    if (member.unit === unit) own = member;
    if (member.unit === unit || member.departing || member.application !== remote.application) continue;
    if (member.container !== '' && member.container !== ownContainer) continue;
    members[member.unit] = member.version;
  }
  const settings = mirror.appSettings(relation.id, remote.application);
  return {
    life: relation.life,
    forced: relation.forced ?? false,
    suspended: relation.suspended,
    endpoint: ownEndpoint.name,
    peer,
    container,
    remoteApplication: remote.application,
    members,
    apps: settings ? { [remote.application]: settings.version } : {},
    inScope: own !== undefined,
    departing: own?.departing ?? false,
    deferred: deferred.has(relation.id),
  };
}

function storageOf(mirror: Mirror, unit: string): RemoteState['storage'] {
  const storage: Record<string, RemoteState['storage'][string]> = {};
  for (const record of mirror.storages())
    if (record.unit === unit)
      storage[record.id] = {
        name: record.name,
        life: record.attachmentLife ?? 'alive',
        mounted: record.mounted !== undefined,
      };
  return storage;
}

/** Returns the hash of everything whose change makes a config-changed due (unit-agent.md#config-changed-causes). */
function configHash(mirror: Mirror, application: ApplicationRecord, charm: CharmSettings): string {
  const addresses = (mirror.machine()?.addresses ?? [])
    .map(({ value, space }) => (space === defaultSpace ? value : `${value} ${space}`))
    .sort();
  const bindings = Object.entries(charm.bindings)
    .filter(([, space]) => space !== defaultSpace)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const egress = mirror.model()?.egressSubnets ?? [];
  // Networks are added only where there are spaces: updated agents run no config-changed for them otherwise.
  const network = bindings.length + egress.length > 0 ? [bindings, egress] : [];
  const config = Object.entries(charm.config).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([config, application.trust, addresses, ...network]))
    .digest('hex');
}
