import { checkNotBlocked } from '../../../core/block/blocks.ts';
import { modelUpgradeRefusal } from '../../../core/model/upgrade.ts';
import type { modelUpgrader as spec } from '../../../wire/facades/model-upgrader.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { itemError } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';

/** Facade of upgrades. Methods with `login` check the model that they name. */
export const modelUpgrader = {
  AbortModelUpgrade: { needs: 'login', run: abortModelUpgrade },
  UpgradeModel: { needs: 'login', run: upgradeModel },
} satisfies FacadeTable<typeof spec>;

/** Aborts nothing: a model is never between two versions. */
function abortModelUpgrade(
  call: Call,
  params: ParamsOf<typeof spec, 'AbortModelUpgrade'>,
): ResultOf<typeof spec, 'AbortModelUpgrade'> {
  checkModel(call, params['model-tag']);
  return {};
}

function upgradeModel(
  call: Call,
  params: ParamsOf<typeof spec, 'UpgradeModel'>,
): ResultOf<typeof spec, 'UpgradeModel'> {
  checkModel(call, params['model-tag']);
  const refusal = modelUpgradeRefusal({
    target: params['target-version'],
    controller: call.services.version,
  });
  return { 'chosen-version': '0.0.0', error: itemError(call, refusal) };
}

function checkModel(call: Call, tag: string): void {
  const { uuid } = modelOfTag(call, tag, 'write');
  checkNotBlocked(call.read().in(uuid), 'change');
}
