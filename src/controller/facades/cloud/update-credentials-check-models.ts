import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { updateCredential } from '../../transactions/update-credential.ts';
import { itemError } from '../shared/bulk.ts';
import { credentialOfTag } from './credential-of-tag.ts';

export async function updateCredentialsCheckModels(
  call: Call,
  params: ParamsOf<typeof spec, 'UpdateCredentialsCheckModels'>,
): Promise<ResultOf<typeof spec, 'UpdateCredentialsCheckModels'>> {
  const results: ResultOf<typeof spec, 'UpdateCredentialsCheckModels'>['results'][number][] = [];
  for (const { tag, credential } of params.credentials) {
    try {
      const { cloud, owner, name } = credentialOfTag(call, tag);
      const { 'auth-type': authType, attrs: attributes = {} } = credential;
      const doc = { cloud, owner, name, authType, attributes };
      const models = await call.store.change((tx) => updateCredential(tx.in(''), doc), call.by);
      results.push({ tag, ...(models.length > 0 ? { models } : {}) });
    } catch (error) {
      results.push({ tag, error: itemError(call, error) });
    }
  }
  return { results };
}
