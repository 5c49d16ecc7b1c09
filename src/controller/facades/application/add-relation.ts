import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addRelation as transaction } from '../../transactions/add-relation.ts';
import { changeModel } from '../shared/change-model.ts';

export async function addRelation(
  call: Call,
  params: ParamsOf<typeof spec, 'AddRelation'>,
): Promise<ResultOf<typeof spec, 'AddRelation'>> {
  const relation = await changeModel(call, (tx) => transaction(tx, { endpoints: params.endpoints }));
  return {
    endpoints: Object.fromEntries(
      relation.endpoints.map(({ application, ...endpoint }) => [application, endpoint]),
    ),
  };
}
