/** Parameters and results of starting instances. */
import type { Base } from '../../core/base.ts';
import type { Constraints } from '../../core/constraints.ts';
import type { Address } from '../../core/machine/document.ts';
import type { Hardware } from '../../core/machine/hardware.ts';
import type { MachineNetworks } from '../../core/network/machine-networks.ts';

/**
 * The machine agent, which an instance must run once it is up. Providers with user data render it into a script; local
 * starts it directly.
 */
export interface AgentDelivery {
  /**
   * Folder on the controller's host with `node`, `agent.mjs`, `program.mjs`; local mounts it read-only at the same path
   * in every machine.
   */
  readonly toolsDir: string;
  /** Data folder in the machine: `/var/lib/juju`, unless the isolation cannot give each machine its own. */
  readonly dataDir: string;
  /**
   * Content of agent.conf, written to `<dataDir>/agents/machine-<id>/agent.conf` with mode 0600, only when the file is
   * absent.
   */
  readonly agentConf: string;
  readonly version: string;
}

/** Source from which a machine that is separate from the controller's host gets the contents of its toolsDir. */
export interface AgentDownload {
  /** Controllers' addresses as `host:port`, the preferred first; the name in their certificate is `juju-apiserver`. */
  readonly addresses: readonly string[];
  /** PEM certificate of the controllers' authority. */
  readonly caCert: string;
  /** Path of the URL without its last part, the architecture: `/model/<uuid>/tools/3.6.28-ubuntu-`. */
  readonly path: string;
  /**
   * Returns the gzipped tar of `node`, `agent.mjs` and `program.mjs` for an architecture (`amd64`). The bundle is built
   * at the first request for it. Errors: ProviderError `bad request` that lists the available architectures.
   */
  bundle(arch: string): Promise<AgentBundle>;
}
export interface AgentBundle {
  /** Hexadecimal digest of the bundle. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Tasks of a machine's first boot besides starting its agent, from the model's configuration
 * (machine-environment.md#first-boot). user-data renders them as a cloud-init document or as a script; ignored where
 * there is no first boot (local).
 */
export interface FirstBoot extends SystemSettings {
  /** Upgrades packages. */
  readonly upgrade: boolean;
  /** Parsed and checked `cloudinit-userdata`. */
  readonly custom: Readonly<Record<string, unknown>>;
  /** Keys of the user who enlists the host, which stay when the model's change. */
  readonly enlistersKeys?: readonly string[];
  /** Source of the agent; absent on the instance that a controller is to run on. */
  readonly download?: AgentDownload;
}
/** Model settings that are applied to machines as long as they run, and not only at first boot. */
export interface SystemSettings {
  /** Public keys that may log in as `ubuntu`. */
  readonly authorizedKeys: readonly string[];
  /** Proxies for login shells, services and hooks. */
  readonly proxies: Proxies;
  readonly aptProxies: Proxies;
  /** Proxies for snapd, which ignores `ftp` and `no`. */
  readonly snapProxies: Proxies;
  /** URL of the apt mirror; '' = the image's own. */
  readonly aptMirror: string;
  /** Refreshes package lists at first boot. */
  readonly refresh: boolean;
}
/** Proxy URLs; '' = none. `no`: hosts separated by commas. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  readonly ftp: string;
  readonly no: string;
}
export const noProxies: Proxies = { http: '', https: '', ftp: '', no: '' };
/** Settings that change nothing on a machine. */
export const plainSettings: SystemSettings = {
  authorizedKeys: [],
  proxies: noProxies,
  aptProxies: noProxies,
  snapProxies: noProxies,
  aptMirror: '',
  refresh: false,
};

/** Parts of an LXD profile that a charm may set (`lxd-profile.yaml`). */
export interface CharmProfile {
  /** Profile name: `juju-<model>-<6 hex of its uuid>-<application>-<charm revision>`. */
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface StartParams {
  readonly machineId: string;
  readonly nonce: string;
  /**
   * True when an agent has already connected from the instance with this nonce: the start restarts that instance and
   * never creates a replacement, which would lack the data on its disks. Errors: ProviderError `transient` when the
   * instance is gone.
   */
  readonly existing?: boolean;
  readonly base: Base;
  readonly constraints: Constraints;
  /** Placement directive of the provider, e.g. `zone=z1`. */
  readonly placement?: string;
  /** Zone chosen for the instance; absent where there are no zones. */
  readonly zone?: string;
  /**
   * Networks that the instance must be on, where spaces are requested (Environ.networks). Absent = the cloud's default
   * network. Errors: ProviderError `bad request` when the cloud has no such networks.
   */
  readonly networks?: MachineNetworks;
  /** Address of a container, where the provider assigns it (Environ.containers). */
  readonly address?: Address;
  readonly tags: Readonly<Record<string, string>>;
  readonly agent: AgentDelivery;
  /** First boot; absent for containers that a machine's agent creates. */
  readonly boot?: FirstBoot;
  /** Profiles of the charms of the machine's units, for Environ.profiles; names are unique. */
  readonly profiles?: readonly CharmProfile[];
  /** Reports the current step for the machine's status. */
  readonly progress: (message: string) => void;
}

export interface StartResult {
  readonly instance: Instance;
  readonly hardware: Hardware;
}

/** Immutable snapshot of an instance. */
export interface Instance {
  readonly id: string;
  readonly displayName: string;
  readonly status:
    | 'pending'
    | 'allocating'
    | 'running'
    | 'provisioning error'
    | 'error'
    | 'unknown'
    | 'stopped';
  readonly message: string;
  readonly addresses: readonly Address[];
  readonly tags: Readonly<Record<string, string>>;
  readonly zone?: string;
  /** Isolation from the host and other machines, for status; '' for a separate computer. */
  readonly isolation: string;
  /** Actual base, where it differs from the requested one. */
  readonly base?: Base;
}

/** Tags on every resource that a provider creates (provider-rules.md#instance-tags). */
export const tagKeys = {
  model: 'juju-model-uuid',
  controller: 'juju-controller-uuid',
  isController: 'juju-is-controller',
  machine: 'juju-machine-id',
  units: 'juju-units-deployed',
  nonce: 'juju-nonce',
} as const;

/** Parameters of the instance that a controller is to run on. */
export type BootstrapParams = Omit<StartParams, 'agent' | 'boot' | 'profiles' | 'existing' | 'address'> & {
  readonly boot: FirstBoot;
};
