/** Rules on what operators may do with a storage (storage.md#operators). Errors are JujuErrors. */
import { JujuError, notValid } from '../errors.ts';
import { limits } from '../limits.ts';
import type { StorageDoc } from './document.ts';
import { isHeld } from './plan.ts';
import type { StorageSpec } from './spec.ts';

/** Whether `count` more of a storage may be attached to a unit that has `present`. */
export function checkMayAttach(spec: Pick<StorageSpec, 'max'>, present: number, count = 1): void {
  if (!Number.isSafeInteger(count) || count < 1)
    throw notValid(`count of storage must be greater than zero, got ${count}`);
  const max = Math.min(spec.max, limits.storagesOfUnit.max);
  const total = present + count;
  if (total <= max) return;
  if (max === 1) throw notValid('cannot attach, storage is singular');
  throw notValid(
    `attaching ${count} storage instance${count === 1 ? '' : 's'} brings the total to ${total}, exceeding the maximum of ${max}`,
  );
}

/** Whether one of `present` storages of an alive unit may be detached. */
export function checkMayDetach({ min, max }: Pick<StorageSpec, 'min' | 'max'>, present: number): void {
  if (present - 1 >= min) return;
  if (max === 1) throw notValid('cannot detach, storage is singular');
  throw notValid(
    `detaching 1 storage instance brings the total to ${present - 1}, which is less than the minimum of ${min}`,
  );
}

/** Whether the storage may go to another unit now. */
export function checkIsFree(doc: StorageDoc, unit: string): void {
  if (doc.ending) throw new JujuError('', `storage "${doc.id}" is being removed`);
  if (doc.adopting !== undefined) throw new JujuError('', `storage "${doc.id}" is still being imported`);
  if (doc.attachment)
    throw new JujuError('', `cannot attach storage owned by unit "${doc.attachment.unit}" to unit "${unit}"`);
  if (doc.mounted !== undefined || (doc.detachable && isHeld(doc)))
    throw new JujuError(
      '',
      `storage "${doc.id}" is still being detached from ${doc.machine === undefined ? `instance ${doc.instance}` : `machine ${doc.machine}`}: try again`,
    );
}

/** Where a storage is mounted on a machine; '' = in the agent's own folder. */
export function locationOf(spec: Pick<StorageSpec, 'location' | 'max'>, id: string): string {
  if (spec.location === '') return '';
  return spec.max === 1 ? spec.location : `${spec.location}/${id}`;
}
