/** Storage providers: where the data of a storage are (storage.md#providers). */
import type { StorageType } from './document.ts';

export interface StorageProvider {
  readonly type: string;
  /** Kinds of storage that the provider makes. */
  readonly kinds: readonly StorageType[];
  /** True when the cloud holds the data, so that they outlive the machine. */
  readonly detachable: boolean;
  /** True when a storage can be forgotten without its data being destroyed. */
  readonly releasable: boolean;
  /** True when the provider can take in volumes that are in the cloud already. */
  readonly importable: boolean;
  /** Why the provider makes nothing here; absent = it does. */
  readonly refusal?: string;
}

/** Providers of every machine: its agent makes the storage. */
export const machineProviders: readonly StorageProvider[] = [
  ofMachines('rootfs', ['filesystem']),
  ofMachines('tmpfs', ['filesystem']),
  ofMachines('loop', ['block', 'filesystem']),
];

function ofMachines(type: string, kinds: StorageProvider['kinds']): StorageProvider {
  return { type, kinds, detachable: false, releasable: false, importable: false };
}

/** Whether the provider makes block devices, so that its file systems are on a volume too. */
export function makesDisks(type: string): boolean {
  return machineProviders.some((provider) => provider.type === type && provider.kinds.includes('block'));
}

/** The volumes of a cloud as a provider; absent where the cloud has none. */
interface CloudVolumes {
  readonly type: string;
  readonly releasable: boolean;
  readonly importable: boolean;
}

/** The providers of a model's machines and of its cloud. `noLoops`: why its machines have no loop devices. */
export function storageProviders(
  volumes: CloudVolumes | undefined,
  noLoops?: string,
): readonly StorageProvider[] {
  const own = machineProviders.map((provider) =>
    noLoops !== undefined && provider.type === 'loop'
      ? { ...provider, refusal: `it needs loop devices, and ${noLoops}` }
      : provider,
  );
  if (!volumes) return own;
  const { type, releasable, importable } = volumes;
  return [...own, { type, kinds: ['filesystem'], detachable: true, releasable, importable }];
}

/** The pool of a storage for which none is named. */
export const defaultPools: Readonly<Record<StorageType, string>> = { filesystem: 'rootfs', block: 'loop' };
