/**
 * The provider contract: the interface between a controller and the source of its machines. Each folder in `clouds`
 * exports one Provider; contract.test.ts runs the same cases over each. An absent capability is an absent key
 * (provider-rules.md#capabilities).
 *
 * Retries: stopping an instance that is gone succeeds; any other error has a class that says who must act. A start that
 * fails with any class but `transient` is guaranteed to have created nothing.
 */
import type { Base } from '../../core/base.ts';
import type { Constraints } from '../../core/constraints.ts';
import type { Address } from '../../core/machine/document.ts';
import type { MachineNetworks } from '../../core/network/machine-networks.ts';
import type { FailureClass } from '../../core/machine/failure.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Host, HostAccess } from './enlist.ts';
import type { ImageRegistry } from './images.ts';
import type { MachineTraits } from './machine-traits.ts';
import type { BootstrapParams, CharmProfile, Instance, StartParams, StartResult } from './start.ts';
import type { VolumeSource } from './volumes.ts';

export type * from './enlist.ts';
export type * from './images.ts';
export type * from './machine-traits.ts';
export * from './start.ts';
export * from './volumes.ts';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly class: FailureClass;
  constructor(errorClass: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
  }

  /** Accepts instances of other copies of this class too: external providers may bundle their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ProviderError' && 'class' in value;
  }
}

export interface Attribute {
  readonly type: 'string' | 'int' | 'bool' | 'map';
  readonly description: string;
  readonly default?: string | number | boolean;
  /** Secret values are never stored in the model and never shown. */
  readonly secret?: boolean;
  /** Restricted settings have the same value in every model of a controller. */
  readonly restricted?: boolean;
  readonly immutable?: boolean;
  readonly values?: readonly string[];
  /** Minimum of an int. */
  readonly min?: number;
  readonly max?: number;
  /** Optional attributes of a credential may be omitted. */
  readonly optional?: boolean;
  /** File attributes of a credential accept the path of a file instead of its contents. */
  readonly file?: boolean;
}
export type AttributeSchema = Readonly<Record<string, Attribute>>;
export type ProviderConfig = Readonly<Record<string, unknown>>;

export interface CloudSpec {
  readonly name: string;
  readonly type: string;
  readonly region: string;
  readonly endpoint: string;
  readonly config: ProviderConfig;
  readonly credential?: Credential;
  /** PEM certificates of the authority that signed the endpoint's certificate, where it is not a public one. */
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
}
export interface Credential {
  /** One of the keys of Provider.authTypes. */
  readonly authType: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Scope of the firewall that opens ports: the model setting `firewall-mode` (firewall.md#firewall-modes). */
export type FirewallMode = 'instance' | 'global' | 'none';

export interface Provider {
  /** Cloud type as in clouds.yaml: `local`, `lxd`… */
  readonly type: string;
  readonly description: string;
  /** Attributes by auth type; `empty` has none. */
  readonly authTypes: Readonly<Record<string, AttributeSchema>>;
  /** Model settings that belong to the provider. */
  readonly config: AttributeSchema;
  /** Name and regions of the cloud that exists without add-cloud, if any. */
  readonly builtinCloud?: {
    readonly name: string;
    /** Other names that `bootstrap` accepts for the cloud. */
    readonly aliases?: readonly string[];
    readonly description: string;
    readonly regions: readonly string[];
  };
  /**
   * Place where `bootstrap` puts the controller: a process on the client's host, machine 0 in the cloud, or the host
   * that the cloud's endpoint names, which `enlist` enters.
   */
  readonly controllerOn: 'this host' | 'instance' | 'host';
  /** Firewall modes that `open` supports. Any other mode is refused when a model is created. */
  readonly firewallModes: readonly FirewallMode[];
  /** Prompt for the endpoint in `add-cloud`; absent = the cloud has no endpoint. */
  readonly endpoint?: { readonly description: string; readonly optional?: boolean };
  /** Finds clouds and credentials that this computer is already set up for. Cheap; failures are ignored. */
  detect?(io: DetectIo): Promise<readonly DetectedCloud[]>;
  /**
   * Converts the credential that a user enters into the one that is stored, e.g. a trust token into a certificate that
   * the server trusts from then on. Absent = the credential is stored as entered. Errors: ProviderError `credential`
   * with the server's message.
   */
  finalizeCredential?(
    cloud: CloudSpec & { readonly credential: Credential },
    params: { readonly label: string; readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<Credential>;
  /**
   * Returns the cloud as a controller on an instance must have it, where that differs from the client's: a unix socket
   * becomes https, with a credential of the controller's own. `destroyController` with the same controller uuid undoes
   * the changes on the server. Absent = no difference.
   */
  cloudForController?(
    cloud: CloudSpec,
    params: { readonly controllerUuid: string; readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<CloudSpec>;
  /**
   * Enters an existing host to make it a machine (`add-machine ssh:`) or to put a controller on it. `leave` removes a
   * login that was created for that. Absent = the provider creates all its machines itself. Errors: SshError; JujuError
   * `already exists` (already a machine), `unauthorized access` (no way to become root).
   */
  readonly enlist?: (access: HostAccess, signal: AbortSignal) => Promise<Host>;
  /** Traits of the machines for their agents; absent = `machinesElsewhere`. */
  readonly machines?: MachineTraits;
  /** Returns the configuration with the additions that bootstrap or a new model needs. */
  prepareForBootstrap(config: ProviderConfig): Promise<ProviderConfig>;
  prepareForModel(config: ProviderConfig): Promise<ProviderConfig>;
  /**
   * Validates the configuration alone or against the previous one; may return an upgraded one. Errors: JujuError `not
   * valid`.
   */
  validate(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig;
  /** Returns commented YAML with defaults for a new cloud. */
  boilerplate(): string;
  /** Opens the environment of a model. Cheap: no network access. */
  open(params: OpenParams): Environ;
}

export interface DetectIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
export interface DetectedCloud {
  readonly name: string;
  readonly endpoint: string;
  readonly regions: readonly string[];
  /** Credentials by their proposed names; `label` tells the user where a credential comes from. */
  readonly credentials: Readonly<Record<string, Credential & { readonly label: string }>>;
}

export interface OpenParams {
  readonly cloud: CloudSpec;
  readonly config: ProviderConfig;
  readonly controllerUuid: string;
  readonly modelUuid: string;
  readonly modelName: string;
  /** Requested firewall mode; absent = `instance`, or the nearest one that the provider supports. */
  readonly firewallMode?: FirewallMode;
  /** Folder on the controller's host for the provider's own files (local: the machines' layers). */
  readonly stateDir: string;
  /**
   * Folders of the controller's host that no machine may see (local: the controller's data).
   * `stateDir` is always one of them.
   */
  readonly privateDirs?: readonly string[];
  /** Folder of the controller's archives on its host: no machine may see it, unless it needs it. */
  readonly archivesDir?: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Port range of a firewall rule. */
export interface PortRule {
  readonly fromPort: number;
  readonly toPort: number;
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** Allowed sources, as CIDRs; empty = any source. */
  readonly sourceCidrs: readonly string[];
  /** Address of the container on the instance that the rule is for; absent = the instance itself. */
  readonly to?: string;
  /** True = for every container on the instance, later ones included, rather than for the instance or `to`. */
  readonly toContainers?: boolean;
}

/** Open ports of a new instance until they are set: bootstrap comes in by ssh. */
export const firstRules: readonly PortRule[] = [
  { fromPort: 22, toPort: 22, protocol: 'tcp', sourceCidrs: [] },
];

/** Where a model's resources come from when it moves between controllers (migration.md#take-over). */
export interface AdoptParams {
  /** Ticket of the other controller's environment. */
  readonly ticket: string;
  /** UUID of the other controller. */
  readonly from: string;
  /** Number of the model's machines whose instance the provider has made; containers on machines do not count. */
  readonly machines: number;
}

export interface Environ {
  /**
   * `download`: machines are separate from the controller's host and download their agent from it at boot
   * (StartParams.boot). Absent: machines see the controller's own toolsDir.
   */
  readonly delivery?: 'download';
  readonly instances: {
    /**
     * Starts one instance tagged with its machine and nonce. A repeated call with the same nonce, e.g. after a crash,
     * returns the existing instance. A start cancelled by the signal leaves nothing behind.
     */
    start(params: StartParams, signal: AbortSignal): Promise<StartResult>;
    /** Terminates instances; unknown ids are ignored. Resolves when the instances and all their resources are gone. */
    stop(ids: readonly string[], signal: AbortSignal): Promise<void>;
    /** Lists every instance of this model (by tag), including partially started ones. */
    list(signal: AbortSignal): Promise<readonly Instance[]>;
    /** Returns instances in the order of the ids; undefined for those that do not exist. */
    get(ids: readonly string[], signal: AbortSignal): Promise<readonly (Instance | undefined)[]>;
    /** Lists instances that run a controller with this controller uuid. */
    controllers(signal: AbortSignal): Promise<readonly Instance[]>;
  };
  /**
   * Starts several instances in one request, where the cloud can: outcomes are in the order of the params, failures
   * beside successes. Each start keeps the guarantees of `instances.start`. Rejects only when no outcome is known.
   */
  readonly startGroup?: {
    /** Maximum number of machines per request. */
    readonly max: number;
    start(
      params: readonly StartParams[],
      signal: AbortSignal,
    ): Promise<readonly (StartResult | ProviderError)[]>;
  };
  /**
   * Starts the instance that a controller is to run on. The instance has no agent, only what lets the client in:
   * `boot`, and the nonce in /var/lib/juju/nonce.txt. Keeps the guarantees of `instances.start`. Absent: controllers
   * are processes on their host. `progress` is shown on the client's terminal.
   */
  readonly bootstrap?: (params: BootstrapParams, signal: AbortSignal) => Promise<StartResult>;
  /** Support for containers on instances; absent = none. */
  readonly containers?: {
    /** Container types: `lxd` is a nested sandbox on local machines. */
    readonly types: readonly string[];
    /**
     * Reserves an address for a container on a network of its host; repeated calls return the same one. `networks`:
     * what the network has to serve, where spaces are requested and the host is on several networks; without this
     * member, a container stays on the network that it has. Absent: the container's host assigns the address.
     */
    readonly takeAddress?: (
      machineId: string,
      signal: AbortSignal,
      networks?: MachineNetworks,
    ) => Promise<Address>;
    readonly releaseAddresses?: (machineIds: readonly string[], signal: AbortSignal) => Promise<void>;
  };
  /** Root file systems of machines whose base differs from the host's (local). */
  readonly images?: ImageRegistry;
  /** Support for charm profiles; absent = profiles are ignored. */
  readonly profiles?: {
    /**
     * Sets an instance's charm profiles to exactly these, after its other profiles; missing or outdated profiles are
     * created or updated. Profiles of the model that no instance uses any more are removed. Errors: JujuError `not
     * found` (instance).
     */
    assign(instanceId: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void>;
  };
  /** Source of the cloud's volumes; absent = none. */
  readonly storage?: VolumeSource;
  /** Reason why no machine can have loop devices, which are then never requested; absent = machines may have some. */
  readonly noLoops?: string;
  /** Vocabulary of hardware constraints; unsupported keys cause a warning. */
  readonly constraints: {
    readonly unsupported: readonly (keyof Constraints)[];
    readonly conflicts: readonly {
      readonly left: readonly (keyof Constraints)[];
      readonly right: readonly (keyof Constraints)[];
    }[];
    readonly vocabulary: Readonly<Partial<Record<keyof Constraints, readonly string[]>>>;
  };
  /**
   * Bases that machines can really run on now, preferred ones first; an application that supports several bases gets
   * one of these. Absent = unknown, every base is equally good.
   */
  readonly bases?: () => Promise<readonly Base[]>;
  /**
   * Rejects a start that can never succeed: an unknown directive or zone, a base without an image. Errors: JujuError
   * `not valid`.
   */
  precheck(params: { base: Base; constraints: Constraints; placement?: string }): Promise<void>;
  readonly zones?: {
    list(signal: AbortSignal): Promise<readonly { readonly name: string; readonly available: boolean }[]>;
  };
  /**
   * The networks on which the cloud can start instances, as StartParams.networks asks for them. Absent: instances are
   * on one network that the cloud chooses, and no start has `networks`.
   */
  readonly networks?: {
    /** Lists the networks' subnets, as CIDRs, also those without an instance. */
    subnets(signal: AbortSignal): Promise<readonly string[]>;
  };
  readonly firewall:
    | {
        readonly mode: 'instance';
        /** Sets an instance's open ports, at first `firstRules`, to exactly these; established connections stay open. */
        set(instanceId: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void>;
        rules(instanceId: string, signal: AbortSignal): Promise<readonly PortRule[]>;
      }
    | {
        readonly mode: 'global';
        /** Sets the open ports of all instances, later ones included, at first `firstRules`, to exactly these. */
        set(rules: readonly PortRule[], signal: AbortSignal): Promise<void>;
        rules(signal: AbortSignal): Promise<readonly PortRule[]>;
      }
    | { readonly mode: 'none' };
  /**
   * Address of the controller's own host that instances can reach after `create` (local: the bridge's). Absent = the
   * host's addresses.
   */
  readonly controllerAddress?: () => Promise<string>;
  /**
   * Returns the argv that enters the instance from the controller's host, to which a command is appended (local:
   * nsenter…). Absent = by ssh.
   */
  readonly enter?: (instanceId: string, options: { tty: boolean }) => Promise<readonly string[]>;
  /** Ends the process of an instance's agent, which its supervisor starts again. Absent = the cloud cannot. */
  readonly restartAgent?: (instanceId: string, machineId: string) => Promise<void>;
  /** Moves the model's resources between controllers; absent = its models stay where they are. */
  readonly migration?: {
    /** Text by which the environment of another controller finds the resources, at most 4096 characters. */
    readonly ticket: string;
    /** Rejects an adoption that cannot succeed. Errors: JujuError `not supported`, with the reason. */
    check(params: AdoptParams, signal: AbortSignal): Promise<void>;
    /** Makes the other controller's resources of this model those of this one; idempotent. Machines run on. */
    adopt(params: AdoptParams, signal: AbortSignal): Promise<void>;
  };
  /** Prepares the model before its first machine; idempotent. */
  create(signal: AbortSignal): Promise<void>;
  /** Removes everything that carries the model's tag; idempotent. */
  destroyModel(signal: AbortSignal): Promise<void>;
  /** Removes everything of every model of the controller, as destroyModel does for one. */
  destroyController(signal: AbortSignal): Promise<void>;
}

/**
 * Creates containers on the machine of the calling agent, with the guarantees of Environ.instances. A start takes no
 * toolsDir: containers use the machine's own.
 */
export interface ContainerBroker {
  readonly types: readonly string[];
  readonly instances: Pick<Environ['instances'], 'start' | 'stop' | 'list' | 'get'>;
}
