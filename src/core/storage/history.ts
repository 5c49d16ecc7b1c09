import type { HistoryEvent } from '../history/event.ts';
import { ofUnit } from '../history/words.ts';
import type { StorageDoc } from './document.ts';

/** Events of a storage, in the history of the unit that it belongs to. */
export function describeStorage(
  before: StorageDoc | undefined,
  after: StorageDoc | undefined,
): HistoryEvent[] {
  const unit = after?.attachment?.unit ?? before?.attachment?.unit;
  if (unit === undefined) return [];
  const id = after?.id ?? before?.id;
  const what = words(before, after);
  return what === undefined ? [] : [{ ...ofUnit(unit), what: `storage ${id} ${what}` }];
}

function words(before: StorageDoc | undefined, after: StorageDoc | undefined): string | undefined {
  if (!before?.attachment) return after && !after.ending ? 'attached' : undefined;
  if (!after) return 'removed';
  if (!after.attachment) return after.ending ? 'detached to be removed' : 'detached';
  if (after.attachment.life !== before.attachment.life) return 'detaching';
  if (after.mounted !== before.mounted)
    return after.mounted === undefined ? 'unmounted' : `mounted at ${after.mounted}`;
  if (after.problem !== before.problem && after.problem !== undefined) return `failed: ${after.problem}`;
  return undefined;
}
