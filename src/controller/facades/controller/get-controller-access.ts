import type { controller as spec } from '../../../wire/facades/controller.ts';
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
      const { access } = mustGetUser(call.read().in(''), name);
      return { result: { 'user-tag': tag, access } };
    }),
  };
}
