import { accessId } from '../../../core/access/document.ts';
import { defined } from '../../../core/defined.ts';
import type { ExternalUserDoc } from '../../../core/external-user/document.ts';
import { isExternal, userId, type UserDoc } from '../../../core/user/document.ts';
import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { permissionDenied } from '../../../core/errors.ts';
import { bulk } from '../shared/bulk.ts';
import { callerName, isSuperuser, userOfTag } from '../shared/model-access.ts';

type Info = NonNullable<ResultOf<typeof spec, 'UserInfo'>['results'][number]['result']>;

/** Describes users: others than the caller for superusers only; without entities all, in the order of their names. */
export async function userInfo(
  call: Call,
  { entities, 'include-disabled': includeDisabled }: ParamsOf<typeof spec, 'UserInfo'>,
): Promise<ResultOf<typeof spec, 'UserInfo'>> {
  const root = call.read().in('');
  if (entities.length > 0)
    return {
      results: await bulk(call, entities, ({ tag }) => {
        const name = userOfTag(call, tag);
        const id = userId(name);
        // Users of other domains are not added: one without a record is a user without access.
        if (isExternal(name))
          return { result: describeExternal(name, root.get('external-user', id)?.access ?? '') };
        const user = root.get('user', id);
        // Clients take this, which Juju answers too, for a user that does not exist.
        if (user === undefined || user.removed) throw permissionDenied();
        return { result: describe(call, user) };
      }),
    };
  const users = [...root.list('user')]
    .filter((user) => !user.removed && (includeDisabled || !user.disabled))
    .filter(({ name }) => isSuperuser(call) || name === callerName(call))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { results: await bulk(call, users, (user) => ({ result: describe(call, user) })) };
}

function describe(call: Call, user: UserDoc): Info {
  const { name, displayName, access, createdBy, createdAt, disabled } = user;
  const lastLogin = call
    .read()
    .in('')
    .get('last-login', accessId({ user: name, model: '' }));
  return {
    username: name,
    'display-name': displayName,
    access: disabled ? '' : access,
    'created-by': createdBy,
    'date-created': createdAt,
    ...defined({ 'last-connection': lastLogin?.at }),
    disabled,
  };
}

/** Describes a user of another domain, of whom only the access is known. */
function describeExternal(name: string, access: ExternalUserDoc['access'] | ''): Info {
  return {
    username: name,
    'display-name': '',
    access,
    'created-by': '',
    'date-created': '0001-01-01T00:00:00Z',
    disabled: false,
  };
}
