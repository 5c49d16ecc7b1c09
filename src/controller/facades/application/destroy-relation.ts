import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyRelation as transaction } from '../../transactions/destroy-relation.ts';
import { changeModel } from '../shared/change-model.ts';
import { warned } from '../shared/destroyed.ts';
import { forceRequest } from '../shared/force.ts';

export async function destroyRelation(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyRelation'>,
): Promise<ResultOf<typeof spec, 'DestroyRelation'>> {
  const { endpoints = [], 'relation-id': id } = params;
  const done = await changeModel(call, (tx) =>
    transaction(tx, {
      ...(endpoints.length > 0 ? { endpoints } : { id }),
      ...forceRequest(call, params),
    }),
  );
  return warned(done);
}
