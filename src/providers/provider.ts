/**
 * What a provider is: the bridge between a controller and the place where machines come from. Every folder beside
 * this file exports one Provider; contract.test.ts runs the same cases over each. An absent capability is an
 * absent key (design §7).
 *
 * Retry meaning: stopping what is gone succeeds; other errors carry a class that says who must act. A start that fails
 * in any class but `transient` has made nothing, for sure.
 */
import type { Base } from '../core/base.ts';
import type { Constraints } from '../core/constraints.ts';
import type { Address, Hardware } from '../core/entities.ts';
import type { FailureClass } from '../core/machine/failure.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly class: FailureClass;
  constructor(errorClass: FailureClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
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

/** Who opens ports (model config `firewall-mode`, domain-facts §9.10). */
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
  /** Where `bootstrap` of this cloud puts the controller: a process on the client's host, or machine 0 in the cloud. */
  readonly controllerOn: 'this host' | 'instance';
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

/** What an instance must run once it is up: the machine agent. Providers with user data render it; local starts it. */
export interface AgentDelivery {
  /**
   * Folder on the controller's host with `node`, `agent.mjs`, `hook-tool`; local makes it visible in the machine,
   * read-only, at the same place in every machine.
   */
  readonly toolsDir: string;
  /** `/var/lib/juju` in the machine, unless the isolation cannot give a machine its own. */
  readonly dataDir: string;
  /** agent.conf's content; written to `<dataDir>/agents/machine-<id>/agent.conf`, mode 0600, only when absent. */
  readonly agentConf: string;
  readonly version: string;
}

/** How a machine that is no part of the controller's host gets what is in its toolsDir. */
export interface AgentDownload {
  /** `host:port` of the controllers, the most useful first; the name in their certificate is `juju-apiserver`. */
  readonly addresses: readonly string[];
  /** PEM. */
  readonly caCert: string;
  /** Of the URL, without the architecture that ends it: `/model/<uuid>/tools/3.6.28-ubuntu-`. */
  readonly path: string;
  /**
   * Architecture (`amd64`) → the gzipped tar of `node` and `agent.mjs`. Read when a start needs it: the first reading
   * makes it. Rejects: ProviderError `bad request` that says which there are.
   */
  bundle(arch: string): Promise<AgentBundle>;
}
export interface AgentBundle {
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * What a machine's first boot does beside starting its agent, from the model's config (domain-facts §10). Rendered by
 * user-data.ts as a cloud-init document or as a script; meaningless where there is no first boot (local).
 */
export interface FirstBoot {
  /** May log in as `ubuntu`. */
  readonly authorizedKeys: readonly string[];
  readonly proxies: Proxies;
  readonly aptProxies: Proxies;
  /** URL, '' = the image's own. */
  readonly aptMirror: string;
  /** Package lists are refreshed; packages are upgraded. */
  readonly refresh: boolean;
  readonly upgrade: boolean;
  /** cloudinit-userdata, as parsed and checked. */
  readonly custom: Readonly<Record<string, unknown>>;
  /** Absent on the instance that a controller is to run on. */
  readonly download?: AgentDownload;
}
/** URLs; '' = none. `no`: hosts separated by commas. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  readonly ftp: string;
  readonly no: string;
}

/** What of an LXD profile a charm may ask for (`lxd-profile.yaml`). */
export interface CharmProfile {
  /** `juju-<model>-<6 hex of its uuid>-<application>-<charm revision>` */
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface StartParams {
  readonly machineId: string;
  readonly nonce: string;
  /**
   * An agent has come on the instance with this nonce: it is started again as it is, and none is made in its place, which
   * would lack what is on its disks. Errors: ProviderError `transient` when it is gone.
   */
  readonly existing?: boolean;
  readonly base: Base;
  readonly constraints: Constraints;
  /** The provider's own directive, e.g. `zone=z1`. */
  readonly placement?: string;
  /** The zone that was chosen for it; absent where there are none. */
  readonly zone?: string;
  /** Of a container, where the provider gives its address (Environ.containers). */
  readonly address?: Address;
  readonly tags: Readonly<Record<string, string>>;
  readonly agent: AgentDelivery;
  /** Absent for the containers that a machine's agent makes. */
  readonly boot?: FirstBoot;
  /** Of the charms of its units, for Environ.profiles; each name once. */
  readonly profiles?: readonly CharmProfile[];
  /** Says what it is doing, for the machine's status. */
  readonly progress: (message: string) => void;
}

export interface StartResult {
  readonly instance: Instance;
  readonly hardware: Hardware;
}

/** An immutable snapshot. */
export interface Instance {
  readonly id: string;
  readonly displayName: string;
  readonly status:
    'pending' | 'allocating' | 'running' | 'provisioning error' | 'error' | 'unknown' | 'stopped';
  readonly message: string;
  readonly addresses: readonly Address[];
  readonly tags: Readonly<Record<string, string>>;
  readonly zone?: string;
  /** What isolates it from the host and the others, for status; '' when it is a machine of its own. */
  readonly isolation: string;
}

/** Tags on everything that a provider makes (facts: domain-facts §9.2). */
export const tagKeys = {
  model: 'juju-model-uuid',
  controller: 'juju-controller-uuid',
  isController: 'juju-is-controller',
  machine: 'juju-machine-id',
  units: 'juju-units-deployed',
  nonce: 'juju-nonce',
} as const;

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

export type BootstrapParams = Omit<StartParams, 'agent' | 'boot' | 'profiles' | 'existing' | 'address'> & {
  readonly boot: FirstBoot;
};

/** Disks that outlive instances (domain-facts §13). Tagged as instances are; destroyModel takes those of the model. */
export interface VolumeSource {
  /** The storage provider's name: `lxd`. */
  readonly type: string;
  /** What a storage pool may say of it. */
  readonly config: AttributeSchema;
  /**
   * Called again with the same id it returns the volume that is there. `size`: MiB, at least. Errors: ProviderError, as
   * instances.start.
   */
  create(
    params: {
      readonly id: string;
      readonly size: number;
      readonly config: ProviderConfig;
      readonly tags: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<Volume>;
  /** Every volume of this model. */
  list(signal: AbortSignal): Promise<readonly Volume[]>;
  /** Unknown ones are no error. Errors: '' while one is attached. */
  destroy(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Mounts it at `path` in the instance; repeatable. Errors: JujuError `not found`. */
  attach(
    params: {
      readonly id: string;
      readonly instanceId: string;
      readonly path: string;
      readonly readOnly: boolean;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** What is not attached, or gone, is no error. */
  detach(params: { readonly id: string; readonly instanceId: string }, signal: AbortSignal): Promise<void>;
}
export interface Volume {
  readonly id: string;
  /** MiB. */
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Instances that have it. */
  readonly attachedTo: readonly string[];
}

/** One root file system for each base, on the controller's host. */
export interface ImageRegistry {
  list(): Promise<readonly LocalImage[]>;
  /**
   * From an archive of a root file system (tar, also compressed), or made by mmdebstrap when none is given. Whole or
   * not at all; replaces what was registered, for machines started later. Errors: JujuError `not valid`, `not
   * supported`.
   */
  add(
    params: { base: Base; archive?: string; progress: (message: string) => void },
    signal: AbortSignal,
  ): Promise<LocalImage>;
  /** Errors: `not found`, '' while machines run on it. */
  remove(base: Base): Promise<void>;
}
export interface LocalImage {
  readonly base: Base;
  readonly arch: string;
  /** Bytes on disk. */
  readonly size: number;
  /** RFC 3339. */
  readonly addedAt: string;
}

/**
 * Makes containers on the machine that its agent runs on; promises what Environ.instances does. A start needs no tools'
 * folder that anybody names: it is the machine's own.
 */
export interface ContainerBroker {
  readonly types: readonly string[];
  readonly instances: Pick<Environ['instances'], 'start' | 'stop' | 'list' | 'get'>;
}
