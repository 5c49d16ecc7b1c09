import { ResourceChanged } from '../../client/resources.ts';
import { boundSpace } from '../../core/application/bindings.ts';
import { networkInfo, privateAddress } from '../../core/network/network-info.ts';
import { JujuError } from '../../core/errors.ts';
import type { LocalState } from '../../core/unit/local-state.ts';
import { defined } from '../../core/defined.ts';
import { compareNames } from '../../core/names.ts';
import type { HookContext, HookEvent, RelationView, StatusValue, StorageView } from '../../hooks/context.ts';
import type { HookSecrets } from '../../hooks/secrets.ts';
import { newHookChanges } from '../../hooks/hook-changes.ts';
import { SecretMask } from '../../hooks/secret-mask.ts';
import { proxyVariables } from '../../providers/toolkit/user-data/index.ts';
import type { ApplicationRecord, MachineRecord, ModelRecord, UnitRecord } from '../../wire/agent-records.ts';
import type { Mirror } from '../mirror.ts';
import type { AgentApi } from '../uplink.ts';
import type { UnitHost } from './unit-host.ts';
import { takenRanges, type OpenPorts } from '../../core/ports.ts';
import { settingsOf } from './remote-view.ts';

interface HookContextParts {
  readonly unit: string;
  readonly machineId: string;
  readonly version: string;
  readonly mirror: Mirror;
  readonly api: AgentApi;
  readonly host: Pick<UnitHost, 'provideResource'>;
  readonly local: LocalState;
  readonly charmState: Readonly<Record<string, string>>;
  readonly event: HookEvent;
  isLeader(): Promise<boolean>;
  status(): StatusValue;
  /** Sets the status at once; the unit's agent remembers it. */
  setWorkloadStatus(status: string, message: string): Promise<void>;
  /** Logs under the module `unit.<unit>.<name>`. */
  log(name: string, level: string, message: string): void;
}

/**
 * Creates the context of a hook: the mirror as it was when the hook began, so that the hook sees one consistent state,
 * and the controller's answers for state that is not mirrored (unit-agent.md#immediate-effects,
 * unit-agent.md#deferred-effects).
 */
export function hookContext(parts: HookContextParts): HookContext {
  const { unit, mirror, api, event, local } = parts;
  const record = present(mirror.unit(unit), `unit "${unit}"`);
  const application = present(mirror.application(record.application), `application "${record.application}"`);
  const charm = settingsOf(application, local.charmUrl);
  const model = present(mirror.model(), 'model');
  const machine = present(mirror.machine(), 'machine');
  const relations = relationViews(mirror, record, local, event);
  const changes = newHookChanges();
  const mask = new SecretMask();
  const settings = new Map<string, Promise<Readonly<Record<string, string>>>>();
  const storages = storageViews(mirror, unit);
  const address = privateAddress(machine.addresses)?.value ?? '';

  return {
    ...identity(parts, record, machine, model),
    event,
    changes,
    config: () => ({ values: charm.config, options: charm.configOptions }),
    relations: () => relations,
    relationSettings(relation, owner) {
      const key = `${relation} ${owner}`;
      const cached = settings.get(key);
      if (cached) return cached;
      const reading = api.call('RelationSettings', { unit, relation, owner }).then(({ values }) => values);
      settings.set(key, reading);
      // Errors are not cached: a refusal may end, as leadership changes.
      reading.catch(() => settings.delete(key));
      return reading;
    },
    relationModelUuid: (relation) =>
      mirror.relation(relation)?.endpoints.find((endpoint) => endpoint.model)?.model ?? model.uuid,
    storages: () => storages,
    isLeader: () => parts.isLeader(),
    leaderSettings: async () => (await api.call('LeaderSettings', { unit })).values,
    status: () => Promise.resolve(parts.status()),
    applicationStatus: () => api.call('ApplicationStatus', { unit }),
    async setStatus(kind, status, said) {
      const message = mask.hide(said);
      if (kind === 'workload') await parts.setWorkloadStatus(status, message);
      else await api.call('SetStatus', { kind, unit, status, message });
    },
    ...effectsAtOnce(api, unit),
    openedPorts: () => record.ports,
    neighbourPorts: () => takenRanges(neighboursOf(mirror, unit)),
    secrets: hookSecrets(api, unit),
    mask,
    charmState: () => parts.charmState,
    network: (binding) =>
      networkInfo(machine.addresses, {
        space: boundSpace(charm.bindings, binding),
        egressSubnets: model.egressSubnets,
      }),
    privateAddress: () => address,
    publicAddress: () => machine.addresses.find(({ scope }) => scope === 'public')?.value ?? address,
    endpoints: () => Object.keys(charm.endpoints),
    bindings: () => [...Object.keys(charm.endpoints), ...charm.extraBindings],
    cloudSpec: () => api.call('CloudSpec', { unit }),
    goalState: () => api.call('GoalState', { unit }),
    async resource(name, signal) {
      for (;;) {
        const { isNews, ...resource } = await api.call('ResourceInfo', { unit, name }, { signal });
        try {
          const path = await parts.host.provideResource({ name, ...resource }, signal);
          const { fingerprint } = resource;
          if (isNews) await api.call('ResourceProvided', { unit, name, fingerprint }, { signal });
          return path;
        } catch (error) {
          // Another file was attached as the resource meanwhile.
          if (!(error instanceof ResourceChanged)) throw error;
        }
      }
    },
    async actionLog(message) {
      await api.call('LogTask', { id: present(event.action, 'action').id, message: mask.hide(message) });
    },
    log: (level, message) => parts.log('juju-log', level, mask.hide(message)),
  };
}

function hookSecrets(api: AgentApi, unit: string): HookSecrets {
  return {
    async newId() {
      const { ids } = await api.call('NewSecretIds', { unit, count: 1 });
      return present(ids[0], 'id of a secret');
    },
    read: (reading) => api.call('SecretContent', { unit, ...reading }),
    own: async ({ id = '', label = '' } = {}) => (await api.call('OwnSecrets', { unit, id, label })).secrets,
  };
}

/** Returns the unit's storage, including storage that is not mounted yet. */
function storageViews(mirror: Mirror, unit: string): StorageView[] {
  return mirror
    .storages()
    .filter((record) => record.unit === unit)
    .map(({ id, name, type, mounted }) => ({ id, name, kind: type, ...defined({ location: mounted }) }))
    .sort((a, b) => compareNames(a.id, b.id));
}

function identity(parts: HookContextParts, record: UnitRecord, machine: MachineRecord, model: ModelRecord) {
  return {
    unit: parts.unit,
    application: record.application,
    principal: record.principal,
    machineId: parts.machineId,
    availabilityZone: machine.availabilityZone,
    model: { name: model.name, uuid: model.uuid },
    apiAddresses: model.controllerAddresses,
    jujuVersion: parts.version,
    proxies: model.proxies,
    machineEnvironment: proxyVariables(model.system.proxies),
  };
}

/** Returns the other units on the machine. */
function neighboursOf(mirror: Mirror, unit: string): { name: string; ports: OpenPorts }[] {
  return mirror.units().flatMap(([name, { ports }]) => (name === unit ? [] : [{ name, ports }]));
}

/**
 * Relations whose scope the unit is in. Their members are the units that the charm knows: a unit whose
 * relation-joined has not run, or whose relation-departed has, is left out (unit-agent.md#joined-members).
 */
function relationViews(
  mirror: Mirror,
  record: UnitRecord,
  local: LocalState,
  event: HookEvent,
): RelationView[] {
  return Object.entries(local.relations)
    .map(([key, relation]) => {
      const id = Number(key);
      const endpoints = mirror.relation(id)?.endpoints ?? [];
      const remote =
        endpoints.find((endpoint) => endpoint.application !== record.application) ?? endpoints[0];
      let members: readonly string[] | undefined;
      return {
        id,
        endpoint: relation.endpoint,
        remoteApplication: remote?.application ?? event.remoteApplication ?? '',
        peer: remote?.role === 'peer',
        // Few hooks ask, and to sort a thousand names takes longer than all else of a hook.
        get members() {
          return (members ??= membersSeen(id, relation, event));
        },
      };
    })
    .sort((a, b) => a.id - b.id);
}

function membersSeen(
  id: number,
  { members: known }: LocalState['relations'][string],
  { name, relation, remoteUnit }: HookEvent,
): string[] {
  const members = new Set(Object.keys(known));
  if (relation?.id === id && remoteUnit !== undefined) {
    if (name.endsWith('-relation-departed')) members.delete(remoteUnit);
    else members.add(remoteUnit);
  }
  return [...members].sort(compareNames);
}

export function actionSpecOf(
  {
    application,
    charmUrl,
  }: { readonly application: ApplicationRecord | undefined; readonly charmUrl: string },
  name: string,
) {
  const actions = application && settingsOf(application, charmUrl).actions;
  return actions && Object.hasOwn(actions, name) ? actions[name] : undefined;
}

function present<T>(value: T | undefined, subject: string): T {
  if (value === undefined) throw new JujuError('not found', `${subject} not found`);
  return value;
}

function effectsAtOnce(
  api: AgentApi,
  unit: string,
): Pick<HookContext, 'setLeaderSettings' | 'setWorkloadVersion' | 'changePayload'> {
  return {
    setLeaderSettings: async (values) =>
      void (await api.call('SetLeaderSettings', { unit, values: { ...values } })),
    setWorkloadVersion: async (version) => void (await api.call('SetWorkloadVersion', { unit, version })),
    changePayload: async (name, id, change) =>
      void (await api.call('ChangePayload', { unit, class: name, id, change: { ...change } })),
  };
}
