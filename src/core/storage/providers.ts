/** Storage providers: where the data of a storage are (storage.md#providers). */
import type { StorageType } from './document.ts';

export interface StorageProvider {
  readonly type: string;
  /** Kinds of storage that it makes. */
  readonly kinds: readonly StorageType[];
  /** True when the cloud holds the data, so that they outlive the machine. */
  readonly detachable: boolean;
  /** True when a storage can be forgotten without its data being destroyed. */
  readonly releasable: boolean;
}

/** Providers of every machine: its agent makes the storage. */
export const machineProviders: readonly StorageProvider[] = [
  { type: 'rootfs', kinds: ['filesystem'], detachable: false, releasable: false },
  { type: 'tmpfs', kinds: ['filesystem'], detachable: false, releasable: false },
  { type: 'loop', kinds: ['block', 'filesystem'], detachable: false, releasable: false },
];

/** Whether the provider makes block devices, so that its file systems are on a volume too. */
export function makesDisks(type: string): boolean {
  return machineProviders.some((provider) => provider.type === type && provider.kinds.includes('block'));
}

/** The volumes of a cloud as a provider; absent where the cloud has none. */
export interface CloudVolumes {
  readonly type: string;
  readonly releasable: boolean;
}

/** The providers of a model's machines and of its cloud. */
export function storageProviders(volumes: CloudVolumes | undefined): readonly StorageProvider[] {
  if (!volumes) return machineProviders;
  const { type, releasable } = volumes;
  return [...machineProviders, { type, kinds: ['filesystem'], detachable: true, releasable }];
}

/** The pool of a storage for which none is named. */
export const defaultPools: Readonly<Record<StorageType, string>> = { filesystem: 'rootfs', block: 'loop' };
