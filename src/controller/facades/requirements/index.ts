import type { requirements as spec } from '../../../wire/facades/requirements.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { setAfter } from '../../transactions/set/set-after.ts';
import { changeModel } from '../shared/change-model.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { graph } from './graph.ts';
import { pending } from './pending.ts';

export const requirements = {
  Graph: { needs: 'model-read', run: graph },
  Pending: { needs: 'model-read', run: pending },
  SetAfter: { needs: 'model-write', blockable: 'change', run: changeAfter },
} satisfies FacadeTable<typeof spec>;

function changeAfter(
  call: Call,
  { application, after }: ParamsOf<typeof spec, 'SetAfter'>,
): Promise<ResultOf<typeof spec, 'SetAfter'>> {
  return changeModel(call, (tx) =>
    requirementsChange(tx, [application], setAfter(tx, { application, after })),
  );
}
