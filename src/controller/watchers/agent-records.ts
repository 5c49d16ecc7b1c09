/** Builds the records of an agent's stream (wire/agent-records.ts) from documents. */
import { allBindings } from '../../core/application/bindings.ts';
import { parseCidrs } from '../../core/network/network-info.ts';
import { settingsId } from '../../core/settings/document.ts';
import { endpointsOf } from '../../core/charm/metadata.ts';
import { mergedConfig } from '../../core/charm/config.ts';
import { parseDuration } from '../../core/duration.ts';
import type { Ending } from '../../core/life.ts';
import type { CharmDoc } from '../../core/charm/document.ts';
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { ScopeDoc } from '../../core/scope/document.ts';
import { volumeOf, type StorageDoc } from '../../core/storage/document.ts';
import { isReady } from '../../core/storage/plan.ts';
import type { TaskDoc } from '../../core/task/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { migrationId } from '../../core/migration/phases.ts';
import { isHeld, restoreAfter, type Restored } from '../../core/model/restored.ts';
import { systemSettingsOf } from '../../providers/toolkit/user-data/index.ts';
import type {
  ApplicationRecord,
  CharmSettings,
  ContainerRecord,
  LeaderRecord,
  MachineRecord,
  MemberRecord,
  ModelRecord,
  RelationRecord,
  StorageRecord,
  SecretRecord,
  TaskRecord,
  UnitRecord,
} from '../../wire/agent-records.ts';
import { spacedAddresses } from '../transactions/agent/unit-network.ts';
import { secretConsumerId, type SecretConsumerDoc } from '../../core/secret-consumer/document.ts';
import { unitApplication } from '../../core/names.ts';
import { isOwn } from '../transactions/agent/secret-access.ts';
import { dueRevisions } from '../transactions/shared/secrets.ts';
import { statusOf, type View } from '../transactions/tx.ts';
import { profileName } from '../machine-profiles.ts';
import { machineView } from '../machine-view.ts';
import { defined } from '../../core/defined.ts';

function forcedOf({ force }: Ending): { forced?: true } {
  return force ? { forced: true } : {};
}

export function machineRecord(view: View, machine: MachineDoc): MachineRecord {
  return {
    life: machine.life,
    ...forcedOf(machine),
    addresses: spacedAddresses(view, machine).map(
      ({ value, scope, space, cidr, interfaceName, macAddress }) => ({
        value,
        scope,
        space,
        ...defined({ cidr, interfaceName, macAddress }),
      }),
    ),
    availabilityZone: machine.instance?.hardware.availabilityZone ?? '',
    ...defined({ profiles: profilesOf(machine), program: machine.programWanted }),
  };
}

/**
 * Profiles that the machine's instance has. An instance may come up before the cloud has answered: it counts as one
 * without the charms' profiles until its start is recorded, as they may have changed since it was asked for.
 */
function profilesOf({ instance, parent }: MachineDoc): string[] | undefined {
  if (instance) return instance.profiles && [...instance.profiles];
  return parent === undefined ? [] : undefined;
}

export function modelRecord(view: View, controllerAddresses: readonly string[]): ModelRecord | null {
  const model = view.in('').get('model', view.space);
  if (!model) return null;
  const config = mergedModelConfig(model.config);
  const text = (key: string): string => (typeof config[key] === 'string' ? config[key] : '');
  const system = systemSettingsOf(config, controllerAddresses);
  const duration = (key: string): number => parseDuration(text(key));
  return {
    name: model.name,
    uuid: model.uuid,
    life: model.life,
    ...forcedOf(model),
    updateStatusIntervalMs: duration('update-status-hook-interval'),
    hookTimeoutMs: duration('hook-timeout'),
    retryHooks: config['automatically-retry-hooks'],
    loggingConfig: text('logging-config'),
    proxies: {
      http: text('juju-http-proxy'),
      https: text('juju-https-proxy'),
      ftp: text('juju-ftp-proxy'),
      no: text('juju-no-proxy'),
    },
    system: { ...system, authorizedKeys: [...system.authorizedKeys] },
    controllerAddresses: [...controllerAddresses],
    egressSubnets: parseCidrs(config['egress-subnets']),
    provisioning: {
      parallelMax: config['num-container-provision-workers'],
      harvest: config['provisioner-harvest-mode'],
    },
    ...defined({ restored: restoredOf(model), migration: migrationOf(view) }),
  };
}

function restoredOf(model: ModelDoc): ModelRecord['restored'] {
  if (!model.restored) return undefined;
  const { id, state } = model.restored;
  // The units of a model that is destroyed end where their agents are.
  return { id, state: state === 'held' && !isHeld(model) ? 'keep' : state };
}

function migrationOf(view: View): ModelRecord['migration'] {
  const migration = view.in('').get('migration', view.space);
  if (migration?.phase !== 'VALIDATION' || migration.asked) return undefined;
  const { addresses, caCert } = migration.target;
  return { id: migrationId(migration), addresses: [...addresses], caCert };
}

export function containerRecord(view: View, container: MachineDoc): ContainerRecord {
  const { status } = statusOf(view, 'instance', container.id, container.createdAt);
  return { ...machineView(view, container), ...defined({ pending: status === 'pending' || undefined }) };
}

export function unitRecord(view: View, unit: UnitDoc): UnitRecord {
  return {
    life: unit.life,
    ...forcedOf(unit),
    application: unit.application,
    principal: unit.principal ?? '',
    // A subordinate that waits for its requirements has no machine and belongs to no agent yet.
    subordinates: [...view.find('unit', 'principal', unit.name)].flatMap(({ name, machine }) =>
      machine === undefined ? [] : [name],
    ),
    base: unit.base,
    charmUrl: unit.charmUrl,
    ...defined({ charmModifiedVersion: unit.charmModifiedVersion, released: unit.released }),
    resolved: unit.resolved,
    deployed: unit.deployed,
    ports: Object.fromEntries(
      Object.entries(unit.ports).map(([endpoint, ranges]) => [endpoint, [...ranges]]),
    ),
  };
}

export function applicationRecord(view: View, application: ApplicationDoc): ApplicationRecord | null {
  const charm = view.get('charm', application.charmUrl);
  if (!charm) return null;
  const older = Object.entries(application.older ?? {}).flatMap(([url, config]) => {
    const olderCharm = view.get('charm', url);
    if (!olderCharm) return [];
    const { sha256, name } = olderCharm;
    const settings = charmSettings(application, olderCharm, config);
    return [[url, { charmSha256: sha256, charmName: name, ...settings }] as const];
  });
  return {
    life: application.life,
    ...forcedOf(application),
    charmUrl: charm.url,
    charmSha256: charm.sha256,
    charmName: charm.name,
    charmModifiedVersion: application.charmModifiedVersion ?? 0,
    forceCharm: application.forceCharm === true,
    ...defined({ profile: profileName(view, application.name, charm) }),
    subordinate: application.subordinate,
    trust: application.trust,
    exposed: application.exposed !== undefined,
    ...charmSettings(application, charm, application.config),
    ...(application.rollout && {
      rollout: application.rollout.resources ? ('resources' as const) : (true as const),
    }),
    ...(older.length > 0 && { older: Object.fromEntries(older) }),
  };
}

function charmSettings(
  { endpointBindings }: ApplicationDoc,
  charm: CharmDoc,
  values: ApplicationDoc['config'],
): CharmSettings {
  return {
    config: { ...mergedConfig(charm.config, values) },
    configOptions: charm.config,
    endpoints: { ...endpointsOf(charm.meta) },
    extraBindings: [...charm.meta.extraBindings],
    bindings: allBindings(endpointBindings, charm.meta),
    actions: charm.actions,
  };
}

export function relationRecord(view: View, relation: RelationDoc): RelationRecord {
  return {
    id: relation.id,
    key: relation.key,
    life: relation.life,
    ...forcedOf(relation),
    suspended: relation.suspended !== undefined,
    endpoints: relation.endpoints.map((endpoint) => ({
      ...endpoint,
      subordinate: view.get('application', endpoint.application)?.subordinate === true,
      ...defined({ model: view.get('remote-application', endpoint.application)?.model }),
    })),
  };
}

export function memberRecord(view: View, scope: ScopeDoc): MemberRecord {
  return {
    relation: Number(scope.relation),
    unit: scope.unit,
    application: scope.application,
    version: view.get('settings', settingsId({ relation: scope.relation, owner: scope.unit }))?.version ?? 0,
    container: scope.container,
    departing: scope.departing,
  };
}

export function leaderRecord(view: View, application: string): LeaderRecord {
  return {
    holder: view.get('lease', application)?.holder ?? '',
    settingsVersion: view.get('leader-settings', application)?.version ?? 0,
  };
}

export function storageRecord(doc: StorageDoc): StorageRecord {
  const { id, name, type, attachment, provider, attributes, size, number, detachable } = doc;
  const { instance, mounted, device } = doc;
  return {
    id,
    name,
    type,
    ending: doc.ending !== undefined,
    provider,
    attributes: { ...attributes },
    size,
    number,
    detachable,
    ready: isReady(doc),
    location: attachment?.location ?? '',
    readOnly: attachment?.readOnly ?? false,
    ...defined({ unit: attachment?.unit, attachmentLife: attachment?.life, instance, mounted, device }),
    ...defined({ volume: volumeOf(doc) }),
  };
}

/**
 * Record of a task. `open`: decrypts sealed texts, or throws; `restored`: the model's last restore. The agent has to
 * fail a task that cannot be opened: its other records must not wait for that one.
 */
export function taskRecord(task: TaskDoc, open: (sealed: string) => string, restored?: Restored): TaskRecord {
  const { id, receiver, name, status, parallel, executionGroup } = task;
  const rest = defined({ parallel, executionGroup, restore: restoreAfter(id, restored) });
  return { id, receiver, name, ...readable(task, open), status, ...rest };
}

function readable(
  { sealed, sealedParameters, parameters: unsealed }: TaskDoc,
  open: (sealed: string) => string,
): Pick<TaskRecord, 'parameters' | 'problem'> {
  try {
    const parameters =
      sealedParameters === undefined
        ? unsealed
        : (JSON.parse(open(sealedParameters)) as TaskDoc['parameters']);
    return { parameters: { ...parameters, ...(sealed !== undefined && { command: open(sealed) }) } };
  } catch {
    return {
      parameters: {},
      problem: "the controller cannot decrypt the task's parameters: they were encrypted with another key",
    };
  }
}

/** A secret that may need a hook of the unit; null when it needs none (secrets.md#hooks). */
export function secretRecord(view: View, unit: string, id: string): SecretRecord | null {
  const consumer = view.get('secret-consumer', secretConsumerId({ secret: id, unit }));
  const secret = view.get('secret', id);
  if (!secret) return consumer?.latest === undefined ? null : ofOtherModel(consumer, consumer.latest);
  const { owner } = secret;
  const isOurs = isOwn(secret, { name: unit, application: unitApplication(unit) });
  // Hooks about the application's secrets are the leader's; its other units know these by the same label.
  const isManaged = isOurs && (owner.kind === 'unit' || view.get('lease', owner.id)?.holder === unit);
  const revisions = isManaged ? dueRevisions(view, id) : [];
  const record = {
    label: consumer?.label || (isOurs ? secret.label : ''),
    owner: isManaged && owner.kind !== 'model' ? owner.kind : ('' as const),
    tracked: consumer?.current ?? 0,
    latest: secret.latest,
    obsolete: revisions
      .filter(({ obsolete, told }) => obsolete && told !== unit)
      .map(({ revision }) => revision),
    rotating: (isManaged && secret.rotating) || '',
    expiring: revisions.flatMap(({ revision, expiring }) =>
      expiring === undefined ? [] : [{ revision, due: expiring }],
    ),
  };
  const isChanged = record.tracked > 0 && Math.max(record.tracked, consumer?.told ?? 0) < record.latest;
  const isDue = record.rotating !== '' || record.obsolete.length + record.expiring.length > 0;
  return isChanged || isDue ? record : null;
}

function ofOtherModel({ label, current, told = 0 }: SecretConsumerDoc, latest: number): SecretRecord | null {
  if (Math.max(current, told) >= latest) return null;
  return { label, owner: '', tracked: current, latest, obsolete: [], rotating: '', expiring: [] };
}
