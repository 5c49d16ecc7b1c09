import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import { parseUserTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeUser as transaction } from '../../transactions/end/remove-user.ts';
import { controllerOwner, setUserDisabled } from '../../transactions/set/set-user.ts';
import type { Tx } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';

type Params = ParamsOf<typeof spec, 'RemoveUser'>;
type Result = Promise<ResultOf<typeof spec, 'RemoveUser'>>;

export const disableUser = (call: Call, params: Params): Result =>
  change(call, params, (tx, name) => setUserDisabled(tx, { name, disabled: true }));

export const enableUser = (call: Call, params: Params): Result =>
  change(call, params, (tx, name) => setUserDisabled(tx, { name, disabled: false }));

export const removeUser = (call: Call, params: Params): Result =>
  change(call, params, (tx, name) => transaction(tx, { name, owner: controllerOwner(tx) }));

async function change(call: Call, { entities }: Params, transaction: (tx: Tx, name: string) => void): Result {
  return {
    results: await bulk(call, entities, async ({ tag }) => {
      const name = parseUserTag(tag);
      await call.store.change((tx) => transaction(tx.in(''), name), call.by);
      return {};
    }),
  };
}
