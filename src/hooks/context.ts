/**
 * The interface between hook tools (hooks/) and the agent: agent/unit/ implements HookContext from the agent's stream
 * and the controller's answers. One context per hook, action or exec; its changes are in `changes` until the unit
 * agent commits them in one transaction (unit-agent.md#deferred-effects).
 */
import type { SecretMask } from './secret-mask.ts';
import type { HookSecrets, SecretEdits } from './secrets.ts';
import type { PayloadChange } from '../core/payloads/payloads.ts';
import type { TakenRange } from '../core/ports.ts';
import type { NetworkInfo } from '../core/network/network-info.ts';
import type { ActionSpec, ConfigOption, ConfigValue } from '../core/charm/metadata.ts';

export interface StatusValue {
  readonly status: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Relation as one unit sees it. */
export interface RelationView {
  readonly id: number;
  /** The unit's own endpoint: `db` of `db:7`. */
  readonly endpoint: string;
  readonly remoteApplication: string;
  readonly peer: boolean;
  /** Remote units in scope, sorted. In departed hooks the departing unit is absent here and still readable. */
  readonly members: readonly string[];
}

/** Storage of the unit. */
export interface StorageView {
  readonly id: string;
  /** Name of the storage in the charm's metadata. */
  readonly name: string;
  readonly kind: 'filesystem' | 'block';
  /** Path of the storage; absent until the storage can be used. */
  readonly location?: string;
}

export interface HookEvent {
  /** Name of the hook: `install`, `db-relation-joined`, `update-status`… '' for actions; `juju-exec` for exec. */
  readonly name: string;
  readonly relation?: { readonly id: number; readonly endpoint: string };
  readonly remoteUnit?: string;
  readonly remoteApplication?: string;
  readonly departingUnit?: string;
  /** Id of the storage that the hook is about. */
  readonly storage?: string;
  /** Secret that the hook is about; `revision` in secret-expired and secret-remove. */
  readonly secret?: { readonly id: string; readonly label: string; readonly revision?: number };
  /** Whether the program is an action or exec that the controller asked for, and not `juju-exec` on the machine. */
  readonly ofTask?: boolean;
  readonly action?: {
    readonly id: string;
    readonly name: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly spec?: ActionSpec;
  };
}

/** Deferred changes: dropped when the hook fails. */
export interface HookChanges {
  /** Relation id → `unit` | `app` → values to set ('' deletes). */
  readonly relationSettings: Map<number, { unit: Map<string, string>; app: Map<string, string> }>;
  readonly openPorts: { endpoint: string; range: string }[];
  readonly closePorts: { endpoint: string; range: string }[];
  /** Name of storage → number of instances to add. */
  readonly addStorage: Map<string, number>;
  readonly charmState: { readonly set: Map<string, string>; readonly delete: Set<string> };
  reboot: '' | 'after' | 'now';
  readonly secrets: SecretEdits;
  /** Result of the action; unused in hooks. */
  readonly action: { results: Record<string, unknown>; failed: boolean; message: string };
}

export interface HookContext {
  readonly unit: string;
  readonly application: string;
  readonly principal: string;
  readonly machineId: string;
  readonly availabilityZone: string;
  readonly model: { readonly name: string; readonly uuid: string };
  readonly apiAddresses: readonly string[];
  readonly jujuVersion: string;
  readonly proxies: {
    readonly http: string;
    readonly https: string;
    readonly ftp: string;
    readonly no: string;
  };
  /** Variables for every program of the machine: the proxies of the machine. */
  readonly machineEnvironment: Readonly<Record<string, string>>;
  readonly event: HookEvent;
  readonly changes: HookChanges;

  /** Returns the configuration values that are set or have a default, typed by their option. */
  config(): {
    readonly values: Readonly<Record<string, ConfigValue>>;
    readonly options: Readonly<Record<string, ConfigOption>>;
  };
  /**
   * Returns all relations of the unit's application that the unit may name, peers included (during install too), sorted
   * by id.
   */
  relations(): readonly RelationView[];
  /** Settings without this hook's own pending changes. Errors: JujuError. */
  relationSettings(relation: number, owner: string): Promise<Readonly<Record<string, string>>>;
  /** Returns the UUID of the model that has the related application. */
  relationModelUuid(relation: number): string;
  /** Returns the unit's storage, sorted by id. */
  storages(): readonly StorageView[];
  isLeader(): Promise<boolean>;
  leaderSettings(): Promise<Readonly<Record<string, string>>>;
  setLeaderSettings(values: Readonly<Record<string, string>>): Promise<void>;
  status(): Promise<StatusValue>;
  applicationStatus(): Promise<{ application: StatusValue; units: Readonly<Record<string, StatusValue>> }>;
  setStatus(kind: 'workload' | 'application', status: string, message: string): Promise<void>;
  setWorkloadVersion(version: string): Promise<void>;
  /** Changes a payload at once. Errors: `not found` for the status of an unknown one. */
  changePayload(name: string, id: string, change: PayloadChange): Promise<void>;
  /** Returns the committed ports: endpoint ('' = all) → ranges. */
  openedPorts(): Readonly<Record<string, readonly string[]>>;
  /** Returns the committed ports of the other units on the machine. */
  neighbourPorts(): readonly TakenRange[];
  /** Secrets as the controller has them, without this hook's own changes. */
  readonly secrets: HookSecrets;
  /** Texts that are hidden in all output of the hook. */
  readonly mask: SecretMask;
  charmState(): Readonly<Record<string, string>>;
  /**
   * Returns the network of a binding ('' = the default one); undefined when the machine has no address in its space.
   */
  network(binding: string): NetworkInfo | undefined;
  /** Returns the address at which other machines reach this one; '' until the machine has an address. */
  privateAddress(): string;
  publicAddress(): string;
  endpoints(): readonly string[];
  /** Names of endpoints and extra bindings that network-get accepts. */
  bindings(): readonly string[];
  /**
   * Returns the model's cloud with its credential. Errors: `unauthorized access` when the application is not trusted.
   */
  cloudSpec(): Promise<object>;
  goalState(): Promise<{
    units: Record<string, { status: string; since: string }>;
    relations: Record<string, Record<string, { status: string; since: string }>>;
  }>;
  /**
   * Returns the path of the resource's file, with the content that the application has now; downloads it where it is
   * missing. Errors: JujuError; rejects when aborted.
   */
  resource(name: string, signal: AbortSignal): Promise<string>;
  actionLog(message: string): Promise<void>;
  /** Logs for juju-log: level as given, module `unit.<unit>.juju-log`. */
  log(level: string, message: string): void;
}
