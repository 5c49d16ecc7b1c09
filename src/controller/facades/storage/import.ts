import { JujuError, notFound } from '../../../core/errors.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { poolsOf } from '../../transactions/begin/add-storage.ts';
import { storageRules } from '../shared/storage.ts';

/** Errors: `not found` (pool); `not supported`: no provider can take volumes in that others have made. */
export async function importStorage(
  call: Call,
  params: ParamsOf<typeof spec, 'Import'>,
): Promise<ResultOf<typeof spec, 'Import'>> {
  const { providers } = storageRules(call);
  return {
    results: await bulk(call, params.storage, ({ pool }) => {
      const provider = poolsOf(call.read(), providers).provider(pool);
      if (!provider) throw notFound('pool', pool);
      throw new JujuError('not supported', `storage provider "${provider.type}" does not support importing`);
    }),
  };
}
