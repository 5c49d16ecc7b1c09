import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeBackend } from '../../transactions/shared/secret-backends.ts';
import { bulk } from '../shared/bulk.ts';
import { revokeToken } from '../shared/secret-backends.ts';

export async function removeSecretBackends(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoveSecretBackends'>,
): Promise<ResultOf<typeof spec, 'RemoveSecretBackends'>> {
  return {
    results: await bulk(call, params.args, async ({ name, force = false }) => {
      const removed = await call.store.change((tx) => removeBackend(tx.in(''), name, force), call.by);
      if (removed.ownToken) await revokeToken(call, removed);
      return {};
    }),
  };
}
