import type { MachineDoc } from '../machine/document.ts';
import { hostOf } from '../names.ts';

/**
 * Whether the cloud's resources of the machine are taken over by the target (migration.md#take-over): neither those of
 * a host that no provider has made, nor a container, which goes with its machine.
 */
export function isTakenOver({ id, instance }: Pick<MachineDoc, 'id' | 'instance'>): boolean {
  return instance !== undefined && !instance.unmanaged && hostOf(id) === id;
}
