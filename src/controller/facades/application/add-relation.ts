import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addRelation as transaction } from '../../transactions/begin/add-relation.ts';
import { changeModel } from '../shared/change-model.ts';
import { requirementsChange } from '../shared/requirements-change.ts';

export async function addRelation(
  call: Call,
  params: ParamsOf<typeof spec, 'AddRelation'>,
): Promise<ResultOf<typeof spec, 'AddRelation'>> {
  const { endpoints, effects } = await changeModel(call, (tx) => {
    const { relation, settled } = transaction(tx, {
      endpoints: params.endpoints,
      via: params['via-cidrs'] ?? [],
    });
    const applications = relation.endpoints.map(({ application }) => application);
    return { endpoints: relation.endpoints, effects: requirementsChange(tx, applications, settled) };
  });
  return {
    endpoints: Object.fromEntries(endpoints.map(({ application, ...endpoint }) => [application, endpoint])),
    ...effects,
  };
}
