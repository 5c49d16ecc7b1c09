import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGetUser, setUserPassword } from '../../transactions/set/set-user.ts';
import { bulk } from '../shared/bulk.ts';
import { userOfTag } from '../shared/model-access.ts';

/** Sets passwords, of oneself or as a superuser of others. */
export async function setPassword(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'SetPassword'>,
): Promise<ResultOf<typeof spec, 'SetPassword'>> {
  return {
    results: await bulk(call, changes, async ({ tag, password }) => {
      const name = userOfTag(call, tag);
      mustGetUser(call.read().in(''), name);
      if (password === '') throw new JujuError('', 'cannot use an empty password');
      checkLimit(limits.password, password.length);
      const passwordHash = await call.passwords.hash(password, call.by);
      await call.store.change((tx) => {
        userOfTag(call, tag, tx);
        setUserPassword(tx.in(''), { name, passwordHash });
      }, call.by);
      return {};
    }),
  };
}
