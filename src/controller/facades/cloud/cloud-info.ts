import { accessOf, grantee } from '../../../core/access/access-of.ts';
import { notFound } from '../../../core/errors.ts';
import { isActive, isExternal, userId } from '../../../core/user/document.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { callerName, isCloudAdmin, isSuperuser, mayAddModelsOn, userOfTag } from '../shared/model-access.ts';
import { outlineCloud } from './describe-cloud.ts';

type Info = NonNullable<ResultOf<typeof spec, 'CloudInfo'>['results'][number]['result']>;

/** Describes clouds that the caller may add models on. Only a cloud's admins learn who else has access to it. */
export async function cloudInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'CloudInfo'>,
): Promise<ResultOf<typeof spec, 'CloudInfo'>> {
  const root = call.read().in('');
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const name = parseTagOf('cloud', tag);
      const doc = root.get('cloud', name);
      if (!doc || !mayAddModelsOn(call, name)) throw notFound('cloud', name);
      const mayKnow = isCloudAdmin(call, name);
      const users = usersOf(call, name).filter(({ user }) => mayKnow || user === callerName(call));
      return { result: { ...outlineCloud(doc), users } };
    }),
  };
}

/** Users with access to a cloud; superusers are admins of all. */
function usersOf(call: Call, cloud: string): Info['users'] {
  const root = call.read().in('');
  const superusers = [...root.list('user')].filter((user) => isActive(user) && user.access === 'superuser');
  const shown: Info['users'][number][] = superusers.map(({ name, displayName }) => {
    return { user: name, 'display-name': displayName, access: 'admin' };
  });
  for (const { user, access } of root.find('cloud-access', 'cloud', cloud)) {
    const record = root.get('user', userId(user));
    const counts = record ? isActive(record) && record.access !== '' : isExternal(user);
    if (counts && record?.access !== 'superuser')
      shown.push({ user, 'display-name': record?.displayName ?? '', access });
  }
  return shown;
}

/** Lists the clouds that a user has access to; all of them for a superuser who asks for that. */
export function listCloudInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'ListCloudInfo'>,
): ResultOf<typeof spec, 'ListCloudInfo'> {
  const root = call.read().in('');
  const user = grantee(root, userOfTag(call, params['user-tag']));
  if (!user) return { results: [] };
  const all = (params.all ?? false) && isSuperuser(call);
  return {
    results: [...root.list('cloud')].flatMap((doc) => {
      const access = accessOf(root, user, { kind: 'cloud', id: doc.name });
      return all || access !== '' ? [{ result: { ...outlineCloud(doc), 'user-access': access } }] : [];
    }),
  };
}
