/**
 * Records that a machine agent is told, by key, in the stream that AgentWatcher.Next answers with. A record is its new
 * value, or null when it is gone or concerns this agent no more. The first answer holds all there is, and ends with
 * `complete: true`. What is large (databags, charm archives) the agent asks for. Keys:
 *   machine                      MachineRecord
 *   model                        ModelRecord
 *   unit <unit>                  UnitRecord: every unit on this machine, subordinates included
 *   application <application>    ApplicationRecord: the applications of those units
 *   relation <id>                RelationRecord: every relation of those applications; gone, its members are too
 *   member <id> <unit>           MemberRecord: a unit in the relation's scope that a unit of this machine sees, or is
 *   app-settings <id> <app>      AppSettingsRecord
 *   leader <application>         LeaderRecord
 *   task <id>                    TaskRecord: not yet finished tasks of these units and this machine
 *   storage <storage>            StorageRecord: the storage on this machine, or about to be
 *   secret <unit> <id>           SecretRecord: secrets that may need a hook of a unit here
 *   container <machine>          ContainerRecord: the containers on this machine, whose provisioner its agent is
 */
import { z } from 'zod';
import { baseResult, life } from './facades/shared.ts';

const text = z.string();
const texts = z.array(z.string());

export const seenAddress = z.strictObject({
  value: text,
  cidr: text.optional(),
  interfaceName: text.optional(),
  macAddress: text.optional(),
  scope: text,
});
/** An address with its space. */
const spacedAddress = seenAddress.extend({ space: text });
/**
 * True once the entity is removed by force: failed hooks of its units are skipped
 * (removal.md#force-skips-failed-hooks).
 */
const forced = z.boolean().exactOptional();
const machineRecord = z.strictObject({
  life,
  forced,
  addresses: z.array(spacedAddress),
  availabilityZone: text,
  /** Names of the charm profiles that the instance has; absent where the cloud has none; empty before it is known. */
  profiles: texts.exactOptional(),
  /** Program that the agent is to have, and the number of the request for it. */
  program: z.strictObject({ build: text, attempt: z.number() }).exactOptional(),
});

const proxyRecord = z.strictObject({ http: text, https: text, ftp: text, no: text }).readonly();
const modelRecord = z.strictObject({
  name: text,
  uuid: text,
  life,
  forced,
  updateStatusIntervalMs: z.number(),
  /** Timeout of hooks in milliseconds; 0 = no limit. */
  hookTimeoutMs: z.number(),
  retryHooks: z.boolean(),
  loggingConfig: text,
  /** Proxies for charms that ask for them: JUJU_CHARM_HTTP_PROXY… */
  proxies: proxyRecord,
  /** Proxies of the machine itself; those of its environment apply to hooks, too. */
  system: z.strictObject({
    authorizedKeys: texts,
    proxies: proxyRecord,
    aptProxies: proxyRecord,
    snapProxies: proxyRecord,
    aptMirror: text,
    refresh: z.boolean(),
  }),
  controllerAddresses: texts,
  /** CIDRs from which units are seen, where the model says so. */
  egressSubnets: texts,
  provisioning: z.strictObject({
    /** Maximum number of containers that are started at a time. */
    parallelMax: z.number(),
    harvest: z.enum(['none', 'unknown', 'destroyed', 'all']),
  }),
  /** The last restore of a backup, as in core/model/restored.ts. */
  restored: z.strictObject({ id: text, state: z.enum(['held', 'keep', 'rerun']) }).exactOptional(),
  /** Controller that the model goes to, while the agents have to try whether they reach it. */
  migration: z.strictObject({ id: text, addresses: texts, caCert: text }).exactOptional(),
});

const unitRecord = z.strictObject({
  life,
  forced,
  application: text,
  principal: text,
  subordinates: texts,
  base: baseResult,
  charmUrl: text,
  /** The version of its application's resources that the unit has, when they were rolled out. */
  charmModifiedVersion: z.number().exactOptional(),
  /** The charm that a roll-out has let the unit take. */
  released: text.exactOptional(),
  resolved: z.enum(['', 'retry-hooks', 'no-hooks']),
  /** True when the unit was deployed: the controller's copy is UnitDoc.deployed. */
  deployed: z.boolean(),
  ports: z.record(z.string(), texts),
});

const endpoint = z.strictObject({
  name: text,
  role: z.enum(['provider', 'requirer', 'peer']),
  interface: text,
  scope: z.enum(['global', 'container']),
  limit: z.number(),
  optional: z.boolean(),
});
const configValue = z.union([z.string(), z.number(), z.boolean()]);
/** Facts that hooks see of a charm and its options. */
const charmSettings = {
  /** Charm's options with the application's values over the defaults; unset options are absent. */
  config: z.record(z.string(), configValue),
  configOptions: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(['string', 'int', 'float', 'boolean', 'secret']),
      description: text,
      default: configValue.exactOptional(),
    }),
  ),
  /** Endpoints, including the implicit juju-info. */
  endpoints: z.record(z.string(), endpoint),
  extraBindings: texts,
  /** Space of each endpoint and extra binding; '' is the default. */
  bindings: z.record(z.string(), text),
  actions: z.record(
    z.string(),
    z.strictObject({
      description: text,
      /** JSON schema of the parameters. */
      params: z.record(z.string(), z.unknown()),
      parallel: z.boolean(),
      executionGroup: text,
    }),
  ),
};
const applicationRecord = z.strictObject({
  life,
  forced,
  /** The charm that its units are to run. */
  charmUrl: text,
  charmSha256: text,
  charmName: text,
  /** Grows when the units are to deploy the same charm again. */
  charmModifiedVersion: z.number().exactOptional(),
  /** Whether units whose hook has failed take another charm without waiting for the hook. */
  forceCharm: z.boolean(),
  /** Name of the LXD profile that the charm asks for. */
  profile: text.exactOptional(),
  subordinate: z.boolean(),
  trust: z.boolean(),
  exposed: z.boolean(),
  /**
   * Present while units keep the charm that they run, or its resources, until they are released to the application's.
   */
  rollout: z.union([z.literal(true), z.literal('resources')]).exactOptional(),
  ...charmSettings,
  /** Charms that units still run since a refresh, by URL. */
  older: z
    .record(text, z.strictObject({ charmSha256: text, charmName: text, ...charmSettings }))
    .exactOptional(),
});

const relationRecord = z.strictObject({
  id: z.number(),
  key: text,
  life,
  forced,
  suspended: z.boolean(),
  /**
   * Endpoints of the relation. `subordinate`: of the application, whose own record may be absent. `model`: UUID of the
   * application's model where that is another one.
   */
  endpoints: z.array(
    endpoint.extend({ application: text, subordinate: z.boolean(), model: text.exactOptional() }),
  ),
});
const memberRecord = z.strictObject({
  relation: z.number(),
  unit: text,
  application: text,
  /** Version of the unit's databag. */
  version: z.number(),
  /** Principal whose container the unit is in; '' for global relations. */
  container: text,
  departing: z.boolean(),
});
const appSettingsRecord = z.strictObject({ relation: z.number(), application: text, version: z.number() });
const leaderRecord = z.strictObject({
  /** Unit that holds the lease, or '' when none does. */
  holder: text,
  /** Version of leader-set's values. */
  settingsVersion: z.number(),
});
const flag = z.boolean().exactOptional();
const taskRecord = z.strictObject({
  id: text,
  receiver: text,
  name: text,
  parameters: z.record(z.string(), z.unknown()),
  status: text,
  parallel: flag,
  executionGroup: text.exactOptional(),
  /** The last restore of a backup that has the task open, by its id. */
  restore: text.exactOptional(),
  /** Reason why the task cannot be run; its parameters may be missing. */
  problem: text.exactOptional(),
});

const storageRecord = z.strictObject({
  id: text,
  /** Name of the storage in the charm's metadata. */
  name: text,
  type: z.enum(['filesystem', 'block']),
  ending: z.boolean(),
  /** Unit that uses the storage, and whether it still may. */
  unit: text.exactOptional(),
  attachmentLife: z.enum(['alive', 'dying']).exactOptional(),
  provider: text,
  attributes: z.record(z.string(), text),
  /** Requested size in MiB. */
  size: z.number(),
  number: text,
  /** Number of the storage's volume; absent = none. */
  volume: text.exactOptional(),
  detachable: z.boolean(),
  /** The instance that the cloud's volume is, or may be, attached to. */
  instance: text.exactOptional(),
  ready: z.boolean(),
  mounted: text.exactOptional(),
  /** Name of the storage's block device. */
  device: text.exactOptional(),
  /** Path to mount the storage at; '' = in the agent's own folder. */
  location: text,
  readOnly: z.boolean(),
});

const secretRecord = z.strictObject({
  label: text,
  owner: z.enum(['', 'unit', 'application']),
  tracked: z.number(),
  latest: z.number(),
  obsolete: z.array(z.number()),
  rotating: text,
  expiring: z.array(z.strictObject({ revision: z.number(), due: text })),
});

/** MachineView of a container without secrets: PrepareContainers answers with those. */
const containerRecord = z
  .strictObject({
    id: text,
    life,
    nonce: text.exactOptional(),
    givenUp: z.array(text).readonly().exactOptional(),
    instanceId: text.exactOptional(),
    unmanaged: flag,
    keepInstance: flag,
    failed: flag,
    lost: flag,
    impeded: flag,
    began: flag,
    present: flag,
    /** True when no attempt was made yet, or when earlier attempts are to be forgotten: the next one is due at once. */
    pending: flag,
  })
  .readonly();

export const agentRecord = z.union([
  machineRecord,
  modelRecord,
  unitRecord,
  applicationRecord,
  relationRecord,
  memberRecord,
  appSettingsRecord,
  leaderRecord,
  taskRecord,
  storageRecord,
  secretRecord,
  containerRecord,
]);

export type AgentRecord = z.output<typeof agentRecord>;
export type MachineRecord = z.output<typeof machineRecord>;
export type ModelRecord = z.output<typeof modelRecord>;
export type UnitRecord = z.output<typeof unitRecord>;
export type ApplicationRecord = z.output<typeof applicationRecord>;
/** Facts that hooks see of one charm and its options. */
export type CharmSettings = Pick<ApplicationRecord, keyof typeof charmSettings>;
export type RelationRecord = z.output<typeof relationRecord>;
export type MemberRecord = z.output<typeof memberRecord>;
export type AppSettingsRecord = z.output<typeof appSettingsRecord>;
export type LeaderRecord = z.output<typeof leaderRecord>;
export type TaskRecord = z.output<typeof taskRecord>;
export type StorageRecord = z.output<typeof storageRecord>;
export type SecretRecord = z.output<typeof secretRecord>;
export type ContainerRecord = z.output<typeof containerRecord>;
