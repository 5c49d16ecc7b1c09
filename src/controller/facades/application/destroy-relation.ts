import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyRelation as transaction } from '../../transactions/end/destroy-relation.ts';
import { findRelation } from '../../transactions/begin/find-relation.ts';
import { changeModel } from '../shared/change-model.ts';
import { warned } from '../shared/destroyed.ts';
import { forceRequest } from '../shared/force.ts';
import { requirementsChange } from '../shared/requirements-change.ts';

export async function destroyRelation(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyRelation'>,
): Promise<ResultOf<typeof spec, 'DestroyRelation'>> {
  const { endpoints = [], 'relation-id': id } = params;
  const reference = endpoints.length > 0 ? { endpoints } : { id };
  return changeModel(call, (tx) => {
    const applications = findRelation(tx, reference).endpoints.map(({ application }) => application);
    const { settled, ...done } = transaction(tx, { ...reference, ...forceRequest(call, params) });
    return { ...warned(done), ...requirementsChange(tx, applications, settled) };
  });
}
