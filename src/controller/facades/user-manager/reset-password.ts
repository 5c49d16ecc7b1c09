import { permissionDenied } from '../../../core/errors.ts';
import { userId } from '../../../core/user/document.ts';
import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import { parseUserTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { resetUserPassword } from '../../transactions/set/set-user.ts';
import { bulk } from '../shared/bulk.ts';
import { callerName } from '../shared/model-access.ts';
import { newRegistrationKey } from './registration-key.ts';

/** Resets passwords of others: they register again. Errors of an entity: `unauthorized access` for oneself. */
export async function resetPassword(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'ResetPassword'>,
): Promise<ResultOf<typeof spec, 'ResetPassword'>> {
  return {
    results: await bulk(call, entities, async ({ tag }) => {
      const name = parseUserTag(tag);
      if (userId(name) === userId(callerName(call))) throw permissionDenied();
      const { key, sealed } = newRegistrationKey(call);
      await call.store.change(
        (tx) => resetUserPassword(tx.in(''), { name, registrationKey: sealed }),
        call.by,
      );
      return { tag, 'secret-key': key };
    }),
  };
}
