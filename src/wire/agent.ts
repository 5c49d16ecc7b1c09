/**
 * The agents' own facades, which are not Juju's. A machine agent logs in as its machine
 * (`auth-tag: machine-3`, password, nonce) on `/model/<uuid>/api` and serves the units on that machine; it reaches
 * nothing else (login.md#agents-reach-their-own). Everything that concerns it comes as one stream of records; what it
 * holds large (databags, charm archives) it asks for.
 *
 * Facade `MachineAgent` v1, `AgentWatcher` v1.
 */
import type { Base } from '../core/base.ts';
import type { ActionSpec, ConfigOption, Endpoint, ConfigValue } from '../core/charm/metadata.ts';
import type { Constraints } from '../core/constraints.ts';
import type { Address } from '../core/machine/document.ts';
import type { Hardware } from '../core/machine/hardware.ts';
import type { Life } from '../core/life.ts';
import type { NextStart } from '../core/machine/after-failure.ts';
import type { FailureClass } from '../core/machine/failure.ts';
import type { HarvestMode, MachineView } from '../core/machine/plan-provisioning.ts';

/**
 * One record of the stream: key → its new value, or null when it is gone or concerns this agent no more. The first
 * answer holds all there is, and ends with `complete: true`. Keys:
 *   machine                      MachineRecord
 *   model                        ModelRecord
 *   unit <unit>                  UnitRecord: every unit on this machine, subordinates included
 *   application <application>    ApplicationRecord: the applications of those units
 *   relation <id>                RelationRecord: every relation of those applications; gone, its members are too
 *   member <id> <unit>           MemberRecord: a unit in the relation's scope that a unit of this machine sees, or is
 *   app-settings <id> <app>      AppSettingsRecord
 *   leader <application>         LeaderRecord
 *   task <id>                    TaskRecord: not yet finished tasks of these units and this machine
 *   container <machine>          ContainerRecord: the containers on this machine, whose provisioner its agent is
 */
export type AgentRecord =
  | MachineRecord
  | ModelRecord
  | UnitRecord
  | ApplicationRecord
  | RelationRecord
  | MemberRecord
  | AppSettingsRecord
  | LeaderRecord
  | TaskRecord
  | ContainerRecord;

export interface MachineRecord {
  life: Life;
  addresses: {
    value: string;
    cidr?: string | undefined;
    interfaceName?: string | undefined;
    macAddress?: string | undefined;
    scope: string;
  }[];
  availabilityZone: string;
}
export interface ProxyRecord {
  readonly http: string;
  readonly https: string;
  readonly ftp: string;
  readonly no: string;
}
export interface ModelRecord {
  name: string;
  uuid: string;
  life: Life;
  /**
   * Merged model config, values that agents need: proxies, update-status-hook-interval (ms), automatically-retry-hooks…
   */
  updateStatusIntervalMs: number;
  /** 0 = no limit. */
  hookTimeoutMs: number;
  retryHooks: boolean;
  loggingConfig: string;
  /** For charms that ask for them: JUJU_CHARM_HTTP_PROXY… */
  proxies: ProxyRecord;
  /** What the machine itself is to have; its environment's proxies are those of hooks, too. */
  system: {
    authorizedKeys: string[];
    proxies: ProxyRecord;
    aptProxies: ProxyRecord;
    snapProxies: ProxyRecord;
    aptMirror: string;
    refresh: boolean;
  };
  controllerAddresses: string[];
  provisioning: {
    /** Containers that are started at a time. */
    parallelMax: number;
    harvest: HarvestMode;
  };
}
/** Nothing secret: PrepareContainers answers with that. */
export interface ContainerRecord extends MachineView {
  /** No attempt was made yet, or what was made of attempts is to be forgotten: the next one is due at once. */
  readonly pending?: boolean;
}
export interface UnitRecord {
  life: Life;
  application: string;
  principal: string;
  subordinates: string[];
  base: Base;
  charmUrl: string;
  resolved: '' | 'retry-hooks' | 'no-hooks';
  /** The controller's counterpart of UnitDoc.deployed. */
  deployed: boolean;
  ports: Record<string, string[]>;
}
export interface ApplicationRecord {
  life: Life;
  charmUrl: string;
  charmSha256: string;
  charmName: string;
  subordinate: boolean;
  /** Charm's options with the application's values over the defaults; unset ones absent. */
  config: Record<string, ConfigValue>;
  configOptions: Record<string, ConfigOption>;
  trust: boolean;
  exposed: boolean;
  /** With the implicit juju-info. */
  endpoints: Record<string, Endpoint>;
  extraBindings: string[];
  actions: Record<string, ActionSpec>;
}
export interface RelationRecord {
  id: number;
  key: string;
  life: Life;
  suspended: boolean;
  /** `subordinate`: of the application, whose own record need not be there. */
  endpoints: (Endpoint & { application: string; subordinate: boolean })[];
}
export interface MemberRecord {
  relation: number;
  unit: string;
  application: string;
  /** Version of its databag. */
  version: number;
  /** '' for global relations, else the principal whose container it is in. */
  container: string;
  departing: boolean;
}
export interface AppSettingsRecord {
  relation: number;
  application: string;
  version: number;
}
/** A cloud with its credential, with the names that `credential-get` prints. */
export interface CloudSpecRecord {
  type: string;
  name: string;
  region?: string | undefined;
  endpoint?: string | undefined;
  'identity-endpoint'?: string | undefined;
  'storage-endpoint'?: string | undefined;
  credential?: { 'auth-type': string; attrs: Record<string, string> } | undefined;
  cacertificates?: string[] | undefined;
  'skip-tls-verify'?: boolean | undefined;
  'is-controller-cloud'?: boolean | undefined;
}
export interface LeaderRecord {
  /** Unit name, or '' when nobody holds the lease. */
  holder: string;
  /** Version of leader-set's values. */
  settingsVersion: number;
}
export interface TaskRecord {
  id: string;
  receiver: string;
  name: string;
  parameters: Record<string, unknown>;
  status: string;
}

/** Why a start cannot even be asked for. */
export interface ContainerRefusal {
  class: FailureClass;
  message: string;
}

/** What a container's start needs. The tools' folder the host's agent knows itself. */
export interface ContainerStart {
  container: string;
  nonce: string;
  /** No start with this nonce was tried before. */
  isFirst: boolean;
  /** Its instance is recorded, and has crashed. */
  ran: boolean;
  /** Of StartParams. */
  existing: boolean;
  base: Base;
  constraints: Constraints;
  /** Where the cloud gives it one (Environ.containers.takeAddress). */
  address?: Address | undefined;
  tags: Record<string, string>;
  agent: { dataDir: string; agentConf: string; version: string };
}

/** One hook's outcome: applied in one transaction, once. A repeated call with the same `hookId` changes nothing. */
export interface HookCommit {
  unit: string;
  /** Random, made before the hook starts and kept in the agent's saved state. */
  hookId: string;
  relationSettings: { relation: number; app: boolean; set: Record<string, string> }[];
  openPorts: { endpoint: string; range: string }[];
  closePorts: { endpoint: string; range: string }[];
  charmState?: { set: Record<string, string>; delete: string[] } | undefined;
  /** The agent's local state after the hook. */
  agentState: unknown;
}

/**
 * MachineAgent v1: method → parameters and result. Every unit named must be on the agent's machine
 * (else `unauthorized access`). Results are wire JSON.
 */
export interface MachineAgentMethods {
  Watch: { params: Record<string, never>; result: { 'watcher-id': string } };
  /** At agent start: addresses as the machine sees them, hardware; sets the machine's status to started. */
  Started: {
    params: {
      hostname: string;
      addresses: MachineRecord['addresses'];
      hardware: { arch: string; cores: number; mem: number };
      version: string;
    };
    result: Record<string, never>;
  };
  /** Entity: `unit-agent`, `workload`, `application` (leader only) with the unit's name, or `machine-agent` with ''. */
  SetStatus: {
    params: {
      kind: 'unit-agent' | 'workload' | 'application' | 'machine-agent';
      unit: string;
      status: string;
      message: string;
      data?: Record<string, unknown> | undefined;
    };
    result: Record<string, never>;
  };
  /** The model's cloud with its credential, all secrets in clear; only for units of applications that are trusted. */
  CloudSpec: { params: { unit: string }; result: CloudSpecRecord };
  /** status-get --application: for leaders. */
  ApplicationStatus: {
    params: { unit: string };
    result: {
      application: { status: string; message: string; data: Record<string, unknown> };
      units: Record<string, { status: string; message: string; data: Record<string, unknown> }>;
    };
  };
  /** The deployer has begun: from here on the unit is removed only through its agent. Answers with its saved state. */
  UnitDeployed: {
    params: { unit: string };
    result: {
      agentState: unknown;
      charmState: Record<string, string>;
      workload: { status: string; message: string; data: Record<string, unknown> };
    };
  };
  SaveState: { params: { unit: string; agentState: unknown }; result: Record<string, never> };
  CommitHook: { params: HookCommit; result: Record<string, never> };
  ClearResolved: { params: { unit: string }; result: Record<string, never> };
  SetWorkloadVersion: { params: { unit: string; version: string }; result: Record<string, never> };
  /** Errors: `cannot enter scope`, `cannot enter scope yet`. May create the subordinate unit. */
  EnterScope: { params: { unit: string; relation: number }; result: Record<string, never> };
  /** Counterparts see it as gone; its own side can still read. */
  PrepareLeaveScope: { params: { unit: string; relation: number }; result: Record<string, never> };
  /** May remove the relation, and the dying application that only it was holding. */
  LeaveScope: { params: { unit: string; relation: number }; result: Record<string, never> };
  /**
   * `owner`: a unit or application name in the relation. Errors: `unauthorized access` for its own application's bag
   * when not leader.
   */
  RelationSettings: {
    params: { unit: string; relation: number; owner: string };
    result: { values: Record<string, string> };
  };
  /**
   * A real lease: granted when free, expired or already this unit's. Errors: `leadership claim denied`. Milliseconds.
   */
  ClaimLeadership: { params: { unit: string; durationMs: number }; result: Record<string, never> };
  LeaderSettings: { params: { unit: string }; result: { values: Record<string, string> } };
  /** Errors: `not leader`. */
  SetLeaderSettings: {
    params: { unit: string; values: Record<string, string> };
    result: Record<string, never>;
  };
  GoalState: {
    params: { unit: string };
    result: {
      units: Record<string, { status: string; since: string }>;
      relations: Record<string, Record<string, { status: string; since: string }>>;
    };
  };
  /** The unit makes itself dying: its application is, or (subordinate) no relation with its principal is alive. */
  DestroyUnit: { params: { unit: string }; result: Record<string, never> };
  DestroySubordinates: { params: { unit: string }; result: Record<string, never> };
  /** Errors: `unit has subordinates`, or plain when it is in a scope. */
  UnitDead: { params: { unit: string }; result: Record<string, never> };
  /** The deployer has recalled the dead unit (or never deployed a dying one). */
  RemoveUnit: { params: { unit: string }; result: Record<string, never> };
  /**
   * The starts of containers on this machine are begun: what each needs is durable before it is answered. Those that
   * are not to be started (any more) are left out. Of the methods for containers all refuse (`unauthorized access`)
   * those of other machines, existing or not.
   */
  PrepareContainers: {
    params: { containers: string[] };
    result: { starts: (ContainerStart | { container: string; failure: ContainerRefusal })[] };
  };
  /** `kept`: false = its record went, or waits for another: it must be stopped. */
  ContainerStarted: {
    params: {
      container: string;
      nonce: string;
      instance: {
        id: string;
        displayName: string;
        status: string;
        message: string;
        isolation: string;
        addresses: Address[];
        /** The base that the instance really runs, where it is not the one asked for. */
        base?: Base;
      };
      hardware: Hardware;
    };
    result: { kept: boolean };
  };
  ContainerFailed: {
    params: {
      container: string;
      class: FailureClass;
      message: string;
      attempt: number;
      next: NextStart;
      at?: string | undefined;
      leftNothing: boolean;
    };
    result: Record<string, never>;
  };
  /** What a start is doing now. */
  ContainerStatus: { params: { container: string; message: string }; result: Record<string, never> };
  /** `kill`: dying ones whose agents will never be heard; `forget`: dead ones whose instances are released, or kept. */
  ContainersEnded: {
    params: {
      kill: string[];
      renew: string[];
      forget: { container: string; keptInstance?: string | undefined }[];
    };
    result: Record<string, never>;
  };
  /** Dead ones whose instances could not be stopped. */
  ContainersUnreleased: {
    params: { failures: { container: string; message: string }[] };
    result: Record<string, never>;
  };
  /** Their recorded instances are gone from the host (`lost`), or are there again. */
  ContainersSeen: { params: { lost: string[]; back: string[] }; result: Record<string, never> };
  /** The agent's password from now on. Errors: `not valid` for one that could be guessed. */
  SetPassword: { params: { password: string }; result: Record<string, never> };
  /** Errors: `machine has assigned units`, `machine is hosting containers`. */
  MachineDead: { params: Record<string, never>; result: Record<string, never> };
  /** Fails when the task was cancelled or started already. */
  StartTask: { params: { id: string }; result: Record<string, never> };
  /** A line of progress. Fails when the task does not run. */
  LogTask: { params: { id: string; message: string }; result: Record<string, never> };
  FinishTask: {
    params: {
      id: string;
      status: 'completed' | 'failed' | 'aborted';
      message: string;
      output: Record<string, unknown>;
    };
    result: Record<string, never>;
  };
  Log: {
    params: {
      records: {
        /** `machine-3` or `unit-mysql-0`. */ entity: string;
        time: string;
        level: string;
        module: string;
        message: string;
      }[];
    };
    result: Record<string, never>;
  };
}

/** AgentWatcher v1, `id` = watcher id: blocks until there is news; `Stop` ends it with code `stopped`. */
export interface AgentWatcherMethods {
  Next: {
    params: Record<string, never>;
    result: { records: [key: string, value: AgentRecord | null][]; complete: boolean };
  };
  Stop: { params: Record<string, never>; result: Record<string, never> };
}
