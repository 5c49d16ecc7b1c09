/**
 * What a provider is: the bridge between a controller and the place where machines come from. Every folder beside
 * this file exports one Provider; contract.test.ts runs the same cases over each. An absent capability is an
 * absent key (provider-rules.md#capabilities).
 *
 * Retry meaning: stopping what is gone succeeds; other errors carry a class that says who must act. A start that fails
 * in any class but `transient` has made nothing, for sure.
 */
import type { Base } from '../../core/base.ts';
import type { Constraints } from '../../core/constraints.ts';
import type { Address } from '../../core/machine/document.ts';
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
export type * from './volumes.ts';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly class: FailureClass;
  constructor(errorClass: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
  }

  /** Also one of another copy of this class: providers from elsewhere may bring their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ProviderError' && 'class' in value;
  }
}

export interface Attribute {
  readonly type: 'string' | 'int' | 'bool' | 'map';
  readonly description: string;
  readonly default?: string | number | boolean;
  /** Never stored in the model, never shown. */
  readonly secret?: boolean;
  /** The same for every model of a controller. */
  readonly restricted?: boolean;
  readonly immutable?: boolean;
  readonly values?: readonly string[];
  /** Of an int. */
  readonly min?: number;
  readonly max?: number;
  /** Of a credential: it need not be given. */
  readonly optional?: boolean;
  /** Of a credential: its contents may be given as the path of a file. */
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
  /** PEM; what the endpoint's certificate is signed by, where that is not a public authority. */
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
}
export interface Credential {
  /** One of Provider.authTypes. */
  readonly authType: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Who opens ports: the model setting `firewall-mode` (firewall.md#firewall-modes). */
export type FirewallMode = 'instance' | 'global' | 'none';

export interface Provider {
  /** `local`, `lxd`… as in clouds.yaml. */
  readonly type: string;
  readonly description: string;
  /** Auth type → its attributes; `empty` has none. */
  readonly authTypes: Readonly<Record<string, AttributeSchema>>;
  /** The provider's own model settings. */
  readonly config: AttributeSchema;
  /** The cloud that exists without add-cloud, if any: name and regions. */
  readonly builtinCloud?: {
    readonly name: string;
    /** What `bootstrap` takes for it too. */
    readonly aliases?: readonly string[];
    readonly description: string;
    readonly regions: readonly string[];
  };
  /**
   * Where `bootstrap` of this cloud puts the controller: a process on the client's host, machine 0 in the cloud, or the
   * host that the cloud's endpoint names, which `enlist` enters.
   */
  readonly controllerOn: 'this host' | 'instance' | 'host';
  /** Those that `open` takes. Another one is refused when a model is made. */
  readonly firewallModes: readonly FirewallMode[];
  /** How `add-cloud` asks for the endpoint; absent = it has none. */
  readonly endpoint?: { readonly description: string; readonly optional?: boolean };
  /** Clouds and credentials that this computer has without being told of them. Cheap; nothing that fails is an error. */
  detect?(io: DetectIo): Promise<readonly DetectedCloud[]>;
  /**
   * Turns what a person gives into what is kept, e.g. a trust token into a certificate that the server then knows.
   * Absent = it is kept as given. Errors: ProviderError `credential`, with the server's words.
   */
  finalizeCredential?(
    cloud: CloudSpec & { readonly credential: Credential },
    params: { readonly label: string; readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<Credential>;
  /**
   * The cloud as a controller must have it that runs on an instance, where that differs from how the client reaches it:
   * a unix socket becomes https, with a credential of the controller's own. What this changes on the server is undone by
   * `destroyController` with the same controller uuid. Absent = no difference.
   */
  cloudForController?(
    cloud: CloudSpec,
    params: { readonly controllerUuid: string; readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<CloudSpec>;
  /**
   * Enters a host that exists already, to make it a machine (`add-machine ssh:`) or to put a controller there. A login
   * that had to be made for that is taken back by `leave`. Absent = it makes all its machines itself. Errors: SshError;
   * JujuError `already exists` (a machine already), `unauthorized access` (no way to become root).
   */
  readonly enlist?: (access: HostAccess, signal: AbortSignal) => Promise<Host>;
  /** What the agents of its machines must know of these; absent = as `machinesElsewhere`. */
  readonly machines?: MachineTraits;
  /** Returns the configuration with what bootstrap / a new model needs added. */
  prepareForBootstrap(config: ProviderConfig): Promise<ProviderConfig>;
  prepareForModel(config: ProviderConfig): Promise<ProviderConfig>;
  /** Alone, or against the previous configuration; may return an upgraded one. Errors: JujuError `not valid`. */
  validate(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig;
  /** YAML with comments and defaults for a new cloud. */
  boilerplate(): string;
  /** Cheap: no network. */
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
  /** By the name that they are proposed under; `label` says to a person where they come from. */
  readonly credentials: Readonly<Record<string, Credential & { readonly label: string }>>;
}

export interface OpenParams {
  readonly cloud: CloudSpec;
  readonly config: ProviderConfig;
  readonly controllerUuid: string;
  readonly modelUuid: string;
  readonly modelName: string;
  /** Absent = `instance`, or what the provider has that comes nearest. */
  readonly firewallMode?: FirewallMode;
  /** Where the provider may keep files of its own on the controller's host (local: the machines' layers). */
  readonly stateDir: string;
  /**
   * Folders of the controller's host that no machine may see (local: its data, the client's files); stateDir is one
   * unnamed.
   */
  readonly privateDirs?: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** A port range of a firewall rule. */
export interface PortRule {
  readonly fromPort: number;
  readonly toPort: number;
  readonly protocol: 'tcp' | 'udp' | 'icmp';
  /** Empty = from anywhere. */
  readonly sourceCidrs: readonly string[];
  /** The address of the container on the instance that it is for; absent: for the instance itself. */
  readonly to?: string;
}

export interface Environ {
  /**
   * `download`: its machines are no part of the controller's host, and get their agent from it when they boot
   * (StartParams.boot). Absent: they see the controller's own toolsDir.
   */
  readonly delivery?: 'download';
  readonly instances: {
    /**
     * Starts one instance tagged with its machine and nonce. Called again with the same nonce after a crash it
     * returns the instance that is there. Cancelled by the signal it leaves nothing.
     */
    start(params: StartParams, signal: AbortSignal): Promise<StartResult>;
    /** Terminates; unknown ids are no error. Resolves when they are gone, with all they held. */
    stop(ids: readonly string[], signal: AbortSignal): Promise<void>;
    /** Every instance of this model (by tag), however far its start came. */
    list(signal: AbortSignal): Promise<readonly Instance[]>;
    /** In the order of the ids; undefined for those that do not exist. */
    get(ids: readonly string[], signal: AbortSignal): Promise<readonly (Instance | undefined)[]>;
    /** Instances that run a controller of this controller uuid. */
    controllers(signal: AbortSignal): Promise<readonly Instance[]>;
  };
  /**
   * Several starts as one request, where the cloud can: outcomes in the order of the params, a failed one beside those
   * that succeeded. Each keeps what `instances.start` promises. Rejects only when nothing is known of any.
   */
  readonly startGroup?: {
    /** Machines of one request, at most. */
    readonly max: number;
    start(
      params: readonly StartParams[],
      signal: AbortSignal,
    ): Promise<readonly (StartResult | ProviderError)[]>;
  };
  /**
   * Starts the instance that a controller is to run on; it has no agent, only what lets the client in: `boot`, and the
   * nonce in /var/lib/juju/nonce.txt. Keeps what `instances.start` promises. Absent: controllers are processes on their
   * host. `progress` is for the client's terminal.
   */
  readonly bootstrap?: (params: BootstrapParams, signal: AbortSignal) => Promise<StartResult>;
  /** Containers on its instances: absent = it has none. */
  readonly containers?: {
    /** `lxd`: a nested sandbox on local machines. */
    readonly types: readonly string[];
    /** An address of the model's network for a container; the same one when asked again. Absent: its host gives it. */
    readonly takeAddress?: (machineId: string, signal: AbortSignal) => Promise<Address>;
    readonly releaseAddresses?: (machineIds: readonly string[], signal: AbortSignal) => Promise<void>;
  };
  /** Root file systems that machines of other bases than the host's run on (local). */
  readonly images?: ImageRegistry;
  /** Profiles of charms: absent = they are ignored. */
  readonly profiles?: {
    /**
     * Gives an instance exactly these charm profiles, after the others that it has, made or brought up to date; profiles
     * of the model that no instance has any more are removed. Errors: JujuError `not found` (instance).
     */
    assign(instanceId: string, profiles: readonly CharmProfile[], signal: AbortSignal): Promise<void>;
  };
  /** Volumes of the cloud's own; absent = it has none. */
  readonly storage?: VolumeSource;
  /** Hardware as constraints' vocabulary; unsupported keys warn. */
  readonly constraints: {
    readonly unsupported: readonly (keyof Constraints)[];
    readonly conflicts: readonly {
      readonly left: readonly (keyof Constraints)[];
      readonly right: readonly (keyof Constraints)[];
    }[];
    readonly vocabulary: Readonly<Partial<Record<keyof Constraints, readonly string[]>>>;
  };
  /**
   * The bases that its machines really run on now, what it would rather give first: applications that may have several
   * get one of these. Absent = unknown, any base is as good.
   */
  readonly bases?: () => Promise<readonly Base[]>;
  /**
   * Refuses at once what can never start: a directive, a zone, a base that there is no image of. Errors: JujuError `not
   * valid`.
   */
  precheck(params: { base: Base; constraints: Constraints; placement?: string }): Promise<void>;
  readonly zones?: {
    list(signal: AbortSignal): Promise<readonly { readonly name: string; readonly available: boolean }[]>;
  };
  readonly firewall:
    | {
        readonly mode: 'instance';
        /** Makes the open ports of one instance exactly these; port 22 and established connections stay. */
        set(instanceId: string, rules: readonly PortRule[], signal: AbortSignal): Promise<void>;
        rules(instanceId: string, signal: AbortSignal): Promise<readonly PortRule[]>;
      }
    | {
        readonly mode: 'global';
        set(rules: readonly PortRule[], signal: AbortSignal): Promise<void>;
        rules(signal: AbortSignal): Promise<readonly PortRule[]>;
      }
    | { readonly mode: 'none' };
  /**
   * An address of the controller's own host that instances reach, once `create` is done (local: the bridge's). Absent =
   * the host's addresses.
   */
  readonly controllerAddress?: () => Promise<string>;
  /**
   * argv that enters the instance from the controller's host, a command appended (local: nsenter…). Absent = by ssh.
   */
  readonly enter?: (instanceId: string, options: { tty: boolean }) => Promise<readonly string[]>;
  /** Before the model's first machine; idempotent. */
  create(signal: AbortSignal): Promise<void>;
  /** Everything that carries the model's tag is gone afterwards; idempotent. */
  destroyModel(signal: AbortSignal): Promise<void>;
  /** As destroyModel, for every model of the controller. */
  destroyController(signal: AbortSignal): Promise<void>;
}

/**
 * Makes containers on the machine that its agent runs on; promises what Environ.instances does. A start needs no tools'
 * folder that anybody names: it is the machine's own.
 */
export interface ContainerBroker {
  readonly types: readonly string[];
  readonly instances: Pick<Environ['instances'], 'start' | 'stop' | 'list' | 'get'>;
}
