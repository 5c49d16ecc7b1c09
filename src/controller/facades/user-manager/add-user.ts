import { checkLimit, limits } from '../../../core/limits.ts';
import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import { userTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addUser as transaction } from '../../transactions/begin/add-user.ts';
import { bulk } from '../shared/bulk.ts';
import { callerName } from '../shared/model-access.ts';
import { newRegistrationKey } from './registration-key.ts';

/** Adds users. A user without a password gets a key by which to register and set one (login.md#registration). */
export async function addUser(
  call: Call,
  { users }: ParamsOf<typeof spec, 'AddUser'>,
): Promise<ResultOf<typeof spec, 'AddUser'>> {
  const createdBy = callerName(call);
  return {
    results: await bulk(call, users, async ({ username: name, 'display-name': displayName, password }) => {
      const common = { name, displayName, createdBy };
      const tag = userTag(name);
      if (password) {
        checkLimit(limits.password, password.length);
        const passwordHash = await call.passwords.hash(password, call.by);
        await call.store.change((tx) => transaction(tx.in(''), { ...common, passwordHash }), call.by);
        return { tag };
      }
      const { key, sealed } = newRegistrationKey(call);
      await call.store.change(
        (tx) => transaction(tx.in(''), { ...common, passwordHash: '', registrationKey: sealed }),
        call.by,
      );
      return { tag, 'secret-key': key };
    }),
  };
}
