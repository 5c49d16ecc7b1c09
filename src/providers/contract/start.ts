/** Starts of instances: what a provider is told, and what it says of what it made. */
import type { Base } from '../../core/base.ts';
import type { Constraints } from '../../core/constraints.ts';
import type { Address } from '../../core/machine/document.ts';
import type { Hardware } from '../../core/machine/hardware.ts';

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
 * What a machine's first boot does beside starting its agent, from the model's config
 * (machine-environment.md#first-boot). Rendered by user-data.ts as a cloud-init document or as a script; meaningless
 * where there is no first boot (local).
 */
export interface FirstBoot extends SystemSettings {
  /** Packages are upgraded. */
  readonly upgrade: boolean;
  /** cloudinit-userdata, as parsed and checked. */
  readonly custom: Readonly<Record<string, unknown>>;
  /** Absent on the instance that a controller is to run on. */
  readonly download?: AgentDownload;
}
/** What of a model's configuration is kept on its machines as long as they run, and not only made at their first boot. */
export interface SystemSettings {
  /** May log in as `ubuntu`. */
  readonly authorizedKeys: readonly string[];
  /** For whoever logs in, services, hooks. */
  readonly proxies: Proxies;
  readonly aptProxies: Proxies;
  /** `ftp` and `no` mean nothing to snapd. */
  readonly snapProxies: Proxies;
  /** URL, '' = the image's own. */
  readonly aptMirror: string;
  /** Package lists are refreshed, at the first boot. */
  readonly refresh: boolean;
}
/** URLs; '' = none. `no`: hosts separated by commas. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  readonly ftp: string;
  readonly no: string;
}
export const noProxies: Proxies = { http: '', https: '', ftp: '', no: '' };
/** Nothing is to be set. */
export const plainSettings: SystemSettings = {
  authorizedKeys: [],
  proxies: noProxies,
  aptProxies: noProxies,
  snapProxies: noProxies,
  aptMirror: '',
  refresh: false,
};

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
  /** What it really runs on, where that is another base than was asked for. */
  readonly base?: Base;
}

/** Tags on everything that a provider makes (provider-rules.md#instance-tags). */
export const tagKeys = {
  model: 'juju-model-uuid',
  controller: 'juju-controller-uuid',
  isController: 'juju-is-controller',
  machine: 'juju-machine-id',
  units: 'juju-units-deployed',
  nonce: 'juju-nonce',
} as const;

/** Of the instance that a controller is to run on. */
export type BootstrapParams = Omit<StartParams, 'agent' | 'boot' | 'profiles' | 'existing' | 'address'> & {
  readonly boot: FirstBoot;
};
