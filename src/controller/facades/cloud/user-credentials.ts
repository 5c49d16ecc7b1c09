import { notFound } from '../../../core/errors.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { credentialTag, parseTagOf } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { userOfTag } from '../shared/model-access.ts';
import { credentialsOf } from './credential-of-tag.ts';

export async function userCredentials(
  call: Call,
  params: ParamsOf<typeof spec, 'UserCredentials'>,
): Promise<ResultOf<typeof spec, 'UserCredentials'>> {
  const root = call.read().in('');
  return {
    results: await bulk(call, params['user-clouds'], (request) => {
      const user = userOfTag(call, request['user-tag']);
      const cloud = parseTagOf('cloud', request['cloud-tag']);
      if (!root.get('cloud', cloud)) throw notFound('cloud', cloud);
      const credentials = credentialsOf(call, user).filter((one) => one.cloud === cloud);
      return { result: credentials.map((one) => credentialTag(one.cloud, one.owner, one.name)) };
    }),
  };
}
