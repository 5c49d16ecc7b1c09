import { JujuError } from '../../../core/errors.ts';
import { storagesOf } from '../../../core/storage/check-storage.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addUnits as transaction } from '../../transactions/begin/add-units.ts';
import { mustGet } from '../../transactions/tx.ts';
import { addFurtherUnits, batchOf, checkBatches } from '../shared/add-units-in-batches.ts';
import { changeModel } from '../shared/change-model.ts';
import { reusedBy, unitRules } from '../shared/new-units.ts';
import { readPlacements } from '../shared/placement.ts';
import { precheckMachines } from '../shared/precheck.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { storageRules } from '../shared/storage.ts';

export async function addUnits(
  call: Call,
  params: ParamsOf<typeof spec, 'AddUnits'>,
): Promise<ResultOf<typeof spec, 'AddUnits'>> {
  const attachStorage = (params['attach-storage'] ?? []).map((tag) => parseTagOf('storage', tag));
  if (attachStorage.length > 0 && params['num-units'] !== 1)
    throw new JujuError('', 'storage can be attached to one new unit only');
  const { application: name, 'num-units': count } = params;
  const application = mustGet(call.read(), 'application', name);
  const { base, constraints, endpointBindings: bindings } = application;
  const placement = readPlacements(call, params.placement);
  const rules = unitRules(call, params['reuse-machines']);
  await precheckMachines(call, { base, constraints, placement, count, bindings, reuse: rules.reuse });
  const units = {
    application: name,
    count,
    placement,
    batch: batchOf(storagesOf(application.storage ?? {})),
    attachStorage,
    storageRules: storageRules(call),
    ...rules,
  };
  checkBatches(call, application, units);
  const { firstUnits, effects } = await changeModel(call, (tx) => ({
    firstUnits: transaction(tx, { ...units, count: Math.min(count, units.batch) }),
    effects: requirementsChange(tx, [name]),
  }));
  const added = await addFurtherUnits(call, units, firstUnits);
  return { units: added.map(({ unit }) => unit), ...reusedBy(added), ...effects };
}
