import { parseBase } from '../../../core/base.ts';
import type { localImages as spec } from '../../../wire/facades/local-images.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { findImageRegistry } from '../../local-images.ts';

export async function remove(
  call: Call,
  { base }: ParamsOf<typeof spec, 'Remove'>,
): Promise<ResultOf<typeof spec, 'Remove'>> {
  await findImageRegistry(call).remove(parseBase(base));
  return {};
}
