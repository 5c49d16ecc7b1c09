import type { controller as spec } from '../../../wire/facades/controller.ts';
import { userId } from '../../../core/user/document.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { mustGetUser } from '../../transactions/set/set-user.ts';
import { userOfTag } from '../shared/model-access.ts';

export async function getControllerAccess(
  call: Call,
  params: ParamsOf<typeof spec, 'GetControllerAccess'>,
): Promise<ResultOf<typeof spec, 'GetControllerAccess'>> {
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const name = userOfTag(call, tag);
      const root = call.read().in('');
      const { access } = root.get('external-user', userId(name)) ?? mustGetUser(root, name);
      return { result: { 'user-tag': tag, access } };
    }),
  };
}
