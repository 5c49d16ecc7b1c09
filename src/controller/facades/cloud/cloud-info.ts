import { notFound } from '../../../core/errors.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { isSuperuser, userOfTag } from '../shared/model-access.ts';
import { outlineCloud } from './describe-cloud.ts';

/** Describes clouds. Superusers are the admins of clouds, and only they learn who is one. */
export async function cloudInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'CloudInfo'>,
): Promise<ResultOf<typeof spec, 'CloudInfo'>> {
  const root = call.read().in('');
  const users = isSuperuser(call)
    ? [...root.list('user')]
        .filter((user) => user.access === 'superuser' && !user.disabled)
        .map(({ name, displayName }) => ({ user: name, 'display-name': displayName, access: 'admin' }))
    : [];
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const name = parseTagOf('cloud', tag);
      const doc = root.get('cloud', name);
      if (!doc) throw notFound('cloud', name);
      return { result: { ...outlineCloud(doc), users } };
    }),
  };
}

/** Lists the clouds that a user has access to. */
export function listCloudInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'ListCloudInfo'>,
): ResultOf<typeof spec, 'ListCloudInfo'> {
  const root = call.read().in('');
  const user = root.get('user', userOfTag(call, params['user-tag']));
  if (user?.access !== 'superuser') return { results: [] };
  return {
    results: [...root.list('cloud')].map((doc) => ({
      result: { ...outlineCloud(doc), 'user-access': 'admin' },
    })),
  };
}
