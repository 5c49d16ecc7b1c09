/** Volumes that are in the cloud before any model. */
import type { SimulatedVolume, VolumeEnd } from '../../providers/clouds/simulated/index.ts';

/** Names of volumes that are in the cloud before any model, with data of another owner. */
export const foundVolumes: readonly string[] = Array.from({ length: 6 }, (_, n) => `found-${n}`);

/** Returns the content of a volume before any charm has used it. */
export function contentsAtFirst(volume: string): string {
  return foundVolumes.includes(volume) ? `left in ${volume}` : '';
}

/** Event of a volume; `inUse`: a machine shows the volume to a charm. */
export interface VolumeEvent {
  readonly volume: SimulatedVolume;
  readonly how: VolumeEnd | 'detached';
  readonly inUse: boolean;
}
