import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { updateCredential } from '../../transactions/set/update-credential.ts';
import { bulk } from '../shared/bulk.ts';
import { userTag } from '../../../wire/tags.ts';
import { userOfTag } from '../shared/model-access.ts';
import { readCredential } from './read-credential.ts';

export async function addCredentials(
  call: Call,
  params: ParamsOf<typeof spec, 'AddCredentials'>,
): Promise<ResultOf<typeof spec, 'AddCredentials'>> {
  return {
    results: await bulk(call, params.credentials, async (tagged) => {
      const doc = readCredential(call, tagged);
      await call.store.change((tx) => {
        userOfTag(call, userTag(doc.owner), tx);
        updateCredential(tx.in(''), doc, { isNew: true });
      }, call.by);
      return {};
    }),
  };
}
