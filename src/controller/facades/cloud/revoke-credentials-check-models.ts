import { credentialId } from '../../../core/credential/document.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { revokeCredential } from '../../transactions/set/update-credential.ts';
import { bulk } from '../shared/bulk.ts';
import { mustFindCredential } from './credential-of-tag.ts';

export async function revokeCredentialsCheckModels(
  call: Call,
  params: ParamsOf<typeof spec, 'RevokeCredentialsCheckModels'>,
): Promise<ResultOf<typeof spec, 'RevokeCredentialsCheckModels'>> {
  return {
    results: await bulk(call, params.credentials, async ({ tag, force }) => {
      await call.store.change(
        (tx) => revokeCredential(tx.in(''), credentialId(mustFindCredential(call, tag, tx)), { force }),
        call.by,
      );
      return {};
    }),
  };
}
