import { checkNotBlocked, type BlockedOperation } from '../../core/block/blocks.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';

/**
 * Refuses an operation that a block of the model stops ('' = the controller's own model): the one place for requests of
 * the API and for uploads (blocks.md#one-place). Errors: `operation is blocked`.
 */
export function refuseBlocked(
  reader: Reader<Entities>,
  { model, operation }: { readonly model: string; readonly operation: BlockedOperation | 'never' },
): void {
  if (operation === 'never') return;
  const uuid = model === '' ? reader.in('').get('controller', 'self')?.modelUuid : model;
  if (uuid) checkNotBlocked(reader.in(uuid), operation);
}
