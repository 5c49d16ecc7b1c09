/**
 * Facade of the agents: grigri's design, not Juju's. A machine agent logs in as its machine (`auth-tag: machine-3`,
 * password, nonce) on `/model/<uuid>/api` and serves the units on that machine; it reaches nothing else. Every unit
 * named must be on the agent's machine (else `unauthorized access`).
 */
import { z } from 'zod';
import { payloadStatuses } from '../../core/payloads/payloads.ts';
import { logLevels } from '../../core/log-levels.ts';
import { seenAddress } from '../agent-records.ts';
import type { FacadeSpec, MethodsOf } from '../facade-spec.ts';
import { cloudSpec } from './cloud-spec.ts';
import { secretChanges, secretMethods, secretTime, secretTold } from './secret-changes.ts';
import { base, constraints, listOf, noParams, noResult } from './shared.ts';

const text = z.string();
const texts = z.array(text);
const strings = z.record(z.string(), text);
const data = z.record(z.string(), z.unknown());
const statusValue = z.object({ status: text, message: text, data });
const goal = z.object({ status: text, since: text });
const ports = z.array(z.object({ endpoint: text, range: text }));
const ofUnit = z.object({ unit: text });
const inRelation = z.object({ unit: text, relation: z.number() });
/** Progress of a container's start, or problem of the container. */
const ofContainer = z.object({ container: text, message: text });

const optionalText = text.exactOptional();
const instanceAddress = z.object({
  value: text,
  type: z.enum(['ipv4', 'ipv6', 'hostname']),
  scope: z.enum(['public', 'local-cloud', 'local-machine']),
  cidr: optionalText,
  interfaceName: optionalText,
  macAddress: optionalText,
});
const hardware = z.object({
  arch: optionalText,
  cores: z.number().exactOptional(),
  cpuPower: z.number().exactOptional(),
  /** Memory in MiB, as rootDisk. */
  mem: z.number().exactOptional(),
  rootDisk: z.number().exactOptional(),
  rootDiskSource: optionalText,
  tags: listOf(text).exactOptional(),
  availabilityZone: optionalText,
  virtType: optionalText,
});
const failureClass = z.enum(['transient', 'zonal', 'quota', 'credential', 'bad request']);
const failedZones = listOf(text);
const nextStart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('again'), failedZones }),
  z.object({ kind: z.literal('later'), failedZones }),
  z.object({ kind: z.literal('suspended') }),
  z.object({ kind: z.literal('never') }),
]);

/** Parameters of a container's start. The host's agent knows the tools' folder itself. */
const containerStart = z.object({
  container: text,
  nonce: text,
  /** True when no start with this nonce was tried before. */
  isFirst: z.boolean(),
  /** True when the container's instance is recorded, and has crashed. */
  ran: z.boolean(),
  /** Member of StartParams. */
  existing: z.boolean(),
  base,
  constraints,
  /** Address, where the cloud gives the container one (Environ.containers.takeAddress). */
  address: instanceAddress.exactOptional(),
  tags: strings,
  agent: z.object({ dataDir: text, agentConf: text, version: text }),
});
/** Reason why a start cannot even be asked for. */
const containerRefused = z.object({
  container: text,
  failure: z.object({ class: failureClass, message: text }),
});

/** Outcome of one hook: applied in one transaction, once. A repeated call with the same `hookId` changes nothing. */
const hookCommit = z.object({
  unit: text,
  /** Random id, created before the hook starts and kept in the agent's saved state. */
  hookId: text,
  relationSettings: z.array(z.object({ relation: z.number(), app: z.boolean(), set: strings })),
  openPorts: ports,
  closePorts: ports,
  charmState: z.object({ set: strings, delete: texts }).optional(),
  secrets: secretChanges.exactOptional(),
  /** Storage that the charm asks for. */
  addStorage: z.array(z.object({ name: text, count: z.int() })).exactOptional(),
  /** True after config-changed: the unit's databags get its present addresses. */
  announceAddresses: z.boolean().exactOptional(),
  secretTime: secretTime.exactOptional(),
  secretTold: secretTold.exactOptional(),
  /** Local state of the agent after the hook. */
  agentState: z.unknown(),
});
export type HookCommit = z.output<typeof hookCommit>;

/** Cloud with its credential, with the names that `credential-get` prints. */
const unitMethods = {
  /** Returns the model's cloud with its credential, all secrets in clear; only for units of trusted applications. */
  CloudSpec: { params: ofUnit, result: cloudSpec },
  /** Returns the status for status-get --application, to leaders only. */
  ApplicationStatus: {
    params: ofUnit,
    result: z.object({ application: statusValue, units: z.record(z.string(), statusValue) }),
  },
  /**
   * Records that the deployer has started: from here on the unit is removed only through its agent. Returns the agent's
   * saved state.
   */
  UnitDeployed: {
    params: ofUnit,
    result: z.object({ agentState: z.unknown(), charmState: strings, workload: statusValue }),
  },
  /** Tells that the machine has no files of a unit that was deployed: the unit begins anew, a dying one is removed. */
  RenewUnit: { params: ofUnit, result: noResult },
  SaveState: { params: z.object({ unit: text, agentState: z.unknown() }), result: noResult },
  CommitHook: { params: hookCommit, result: noResult },
  /**
   * Tells the state of a unit whose agent was at work before a restore of the model, where it may be newer than the
   * backup (backups.md#after-a-restore). `restore`: its id.
   */
  KeepState: {
    params: z.object({ unit: text, restore: text, agentState: z.unknown(), charmState: strings }),
    result: noResult,
  },
  /**
   * Records that the unit is about to deploy its application's charm, before any file changes. Errors: '' when the
   * application has another charm now: the agent plans anew.
   */
  SetUnitCharm: {
    params: z.object({ unit: text, charmUrl: text, charmModifiedVersion: z.number().exactOptional() }),
    result: noResult,
  },
  ClearResolved: { params: ofUnit, result: noResult },
  /** Changes a payload of the unit at once. Errors: `not found` for the status of an unknown payload. */
  ChangePayload: {
    params: z.object({
      unit: text,
      class: text,
      id: text,
      change: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('register'), type: text, labels: listOf(text) }),
        z.object({ kind: z.literal('set status'), status: z.enum(payloadStatuses) }),
        z.object({ kind: z.literal('unregister') }),
      ]),
    }),
    result: noResult,
  },
  SetWorkloadVersion: { params: z.object({ unit: text, version: text }), result: noResult },
  /**
   * Enters a relation's scope; may create the subordinate unit. Errors: `cannot enter scope`, `cannot enter scope yet`.
   */
  EnterScope: { params: inRelation, result: noResult },
  /** Hides the unit from its counterparts; its own side can still read. */
  PrepareLeaveScope: { params: inRelation, result: noResult },
  /** Leaves the scope; may remove the relation, and a dying application that nothing else refers to. */
  LeaveScope: { params: inRelation, result: noResult },
  /**
   * Reads a databag. `owner`: a unit or application name in the relation. Errors: `unauthorized access` for the unit's
   * own application's databag when not leader.
   */
  RelationSettings: {
    params: z.object({ unit: text, relation: z.number(), owner: text }),
    result: z.object({ values: strings }),
  },
  /**
   * Claims a lease in milliseconds: granted when it is free, expired or already this unit's. Errors: `leadership claim
   * denied`.
   */
  /** `holds`: by the agent's clock the unit's last lease has not ended. */
  ClaimLeadership: {
    params: z.object({ unit: text, durationMs: z.number(), holds: z.boolean().exactOptional() }),
    result: noResult,
  },
  LeaderSettings: { params: ofUnit, result: z.object({ values: strings }) },
  /** Writes the leader's settings. Errors: `not leader`. */
  SetLeaderSettings: { params: z.object({ unit: text, values: strings }), result: noResult },
  GoalState: {
    params: ofUnit,
    result: z.object({
      units: z.record(z.string(), goal),
      relations: z.record(z.string(), z.record(z.string(), goal)),
    }),
  },
  /**
   * Tells the content of a resource that the unit's application has now. `isNews`: the controller does not know that
   * the unit has it. Errors: `not found`.
   */
  ResourceInfo: {
    params: z.object({ unit: text, name: text }),
    result: z.object({ path: text, fingerprint: text, size: z.number(), isNews: z.boolean() }),
  },
  /** Records that the unit's machine has the content. */
  ResourceProvided: { params: z.object({ unit: text, name: text, fingerprint: text }), result: noResult },
  /** Makes the unit dying: its application is, or (subordinate) no relation with its principal is alive. */
  DestroyUnit: { params: ofUnit, result: noResult },
  DestroySubordinates: { params: ofUnit, result: noResult },
  /** Makes the unit dead. Errors: `unit has subordinates`, or plain when it is in a scope. */
  UnitDead: { params: ofUnit, result: noResult },
  /** Removes the unit: the deployer has recalled the dead unit (or never deployed a dying one). */
  RemoveUnit: { params: ofUnit, result: noResult },
} as const;

/** Methods for containers. All refuse (`unauthorized access`) the containers of other machines, existing or not. */
const containerMethods = {
  /**
   * Begins the starts of containers on this machine: the parameters of each are durable before the answer. Containers
   * that are not to be started (any more) are left out. `restarts`: those whose recorded instance is started again;
   * others with a recorded instance are left out: the caller has not seen the record yet.
   */
  PrepareContainers: {
    params: z.object({ containers: texts, restarts: texts.exactOptional() }),
    result: z.object({ starts: z.array(z.union([containerStart, containerRefused])) }),
  },
  /**
   * Records a start. `kept`: false = the record was removed, or waits for another instance: this one must be stopped.
   */
  ContainerStarted: {
    params: z.object({
      container: text,
      nonce: text,
      instance: z.object({
        id: text,
        displayName: text,
        status: text,
        message: text,
        isolation: text,
        addresses: z.array(instanceAddress),
        /** Base that the instance really runs, where it is not the one asked for. */
        base: base.exactOptional(),
      }),
      hardware,
    }),
    result: z.object({ kept: z.boolean() }),
  },
  ContainerFailed: {
    params: z.object({
      container: text,
      class: failureClass,
      message: text,
      attempt: z.number(),
      next: nextStart,
      at: text.optional(),
      leftNothing: z.boolean(),
    }),
    result: noResult,
  },
  /** Reports the progress of a start. */
  ContainerStatus: { params: ofContainer, result: noResult },
  /**
   * Ends containers. `kill`: dying ones whose agents will never report; `forget`: dead ones whose instances are
   * released, or kept.
   */
  ContainersEnded: {
    params: z.object({
      kill: texts,
      renew: texts,
      forget: z.array(z.object({ container: text, keptInstance: text.optional() })),
    }),
    result: noResult,
  },
  /** Reports dead containers whose instances could not be stopped. */
  ContainersUnreleased: { params: z.object({ failures: z.array(ofContainer) }), result: noResult },
  /** Reports recorded instances that are gone from the host (`lost`), or are there again (`back`). */
  ContainersSeen: { params: z.object({ lost: texts, back: texts }), result: noResult },
} as const;

const ofStorage = z.object({ storage: text });
const retry = z.object({ attempt: z.number(), at: text.max(30) });

/** Methods for storage on the machine. Reports about storage that has gone meanwhile change nothing. */
const storageMethods = {
  /** Reports what the agent has made to hold the data; `size` in MiB. */
  StorageMade: { params: ofStorage.extend({ size: z.int().nonnegative() }), result: noResult },
  /** Reports a mount. `path`: its place, or a disk's device; `device`: the name of its block device, if it has one. */
  StorageMounted: {
    params: ofStorage.extend({ path: text, device: text.exactOptional() }),
    result: noResult,
  },
  StorageUnmounted: { params: ofStorage, result: noResult },
  StorageDestroyed: { params: ofStorage, result: noResult },
  /** Reports a failed step. `retry`: when the agent tries again; older agents do not say it. */
  StorageFailed: { params: ofStorage.extend({ message: text, retry: retry.optional() }), result: noResult },
  /** Reports that the unit's charm knows of the storage's end, or never knew of the storage. */
  ReleaseStorage: { params: z.object({ unit: text, storage: text }), result: noResult },
} as const;

const taskMethods = {
  /** Starts a task. Fails when the task was cancelled or started already. */
  StartTask: { params: z.object({ id: text }), result: noResult },
  /** Adds a line of progress. Fails when the task does not run. */
  LogTask: { params: z.object({ id: text, message: text }), result: noResult },
  FinishTask: {
    params: z.object({
      id: text,
      status: z.enum(['completed', 'failed', 'aborted']),
      message: text,
      /** Output without contents of secrets. */
      output: data,
      /** The output as it was, where it has contents of secrets. */
      revealed: data.optional(),
    }),
    result: noResult,
  },
} as const;

export const machineAgent = {
  name: 'MachineAgent',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** Creates the AgentWatcher of all that concerns this agent. */
    Watch: { params: noParams, result: z.object({ 'watcher-id': text }) },
    /**
     * Reports the agent's start: addresses as the machine sees them, hardware; sets the machine's status to started.
     */
    Started: {
      params: z.object({
        hostname: text,
        addresses: z.array(seenAddress),
        hardware: z.object({ arch: text, cores: z.number(), mem: z.number() }),
        version: text,
        /** Program of the agent, where it can be replaced, and the one that did not come up (docs/upgrades.md). */
        program: z
          .object({
            build: text.max(64),
            failed: z
              .object({ build: text.max(64), attempt: z.int().nonnegative(), message: text.max(500) })
              .exactOptional(),
          })
          .exactOptional(),
        /** Public keys of the machine's ssh server, one line each. */
        hostKeys: texts.exactOptional(),
      }),
      result: noResult,
    },
    /** Tells whether the agent reaches the controller that the model goes to; `problem` '' = it does. */
    MigrationTried: { params: z.object({ migration: text, problem: text }), result: noResult },
    /**
     * Sets a status: `unit-agent`, `workload`, `application` (leader only) with the unit's name, or `machine-agent`
     * with ''.
     */
    SetStatus: {
      params: z.object({
        kind: z.enum(['unit-agent', 'workload', 'application', 'machine-agent']),
        unit: text,
        status: text,
        message: text,
        data: data.optional(),
      }),
      result: noResult,
    },
    ...unitMethods,
    ...secretMethods,
    ...containerMethods,
    ...storageMethods,
    ...taskMethods,
    /**
     * Tells which units have files on the machine that the model does not know after a restore of it, and which of its
     * units have ended there since the backup (backups.md#after-a-restore).
     */
    UnknownUnits: { params: z.object({ units: texts, ended: texts.exactOptional() }), result: noResult },
    /** Sets the agent's password. Errors: `not valid` for one that could be guessed. */
    SetPassword: { params: z.object({ password: text }), result: noResult },
    /** Makes the machine dead. Errors: `machine has assigned units`, `machine is hosting containers`. */
    MachineDead: { params: noParams, result: noResult },
    Log: {
      params: z.object({
        records: z.array(
          z.object({
            /** Tag of the machine or unit: `machine-3` or `unit-mysql-0`. */
            entity: text,
            time: z.iso.datetime(),
            level: z.enum(logLevels),
            module: text,
            message: text,
          }),
        ),
      }),
      result: noResult,
    },
  },
} as const satisfies FacadeSpec;

/** Requests and responses by method. */
export type MachineAgentMethods = MethodsOf<typeof machineAgent>;
