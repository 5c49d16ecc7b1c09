import type { VolumeSource } from '../providers/contract/provider.ts';

/** Volumes of a cloud that must not be used. */
export function silentVolumes(type: string): VolumeSource {
  const refuse = (): Promise<never> => Promise.reject(new Error('nothing is asked of the cloud'));
  return { type, config: {}, create: refuse, list: refuse, destroy: refuse, attach: refuse, detach: refuse };
}
