import { JujuError } from '../../../core/errors.ts';
import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeBlocks as transaction } from '../../transactions/set/switch-block.ts';

export async function removeBlocks(
  call: Call,
  { all }: ParamsOf<typeof spec, 'RemoveBlocks'>,
): Promise<ResultOf<typeof spec, 'RemoveBlocks'>> {
  if (!all) throw new JujuError('not supported', 'not supported');
  await call.store.change((tx) => transaction(tx.in('')), call.by);
  return {};
}
