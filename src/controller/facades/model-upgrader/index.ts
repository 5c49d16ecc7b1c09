import { checkNotBlocked } from '../../../core/block/blocks.ts';
import { agentUpgrade } from '../../../core/machine/program.ts';
import { modelUpgradeRefusal } from '../../../core/model/upgrade.ts';
import type { modelUpgrader as spec } from '../../../wire/facades/model-upgrader.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { forgetFailedPrograms } from '../../transactions/change/agent-program.ts';
import { itemError } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';

/** Facade of upgrades. Methods with `login` check the model that they name. */
export const modelUpgrader = {
  AbortModelUpgrade: { needs: 'login', run: abortModelUpgrade },
  UpgradeModel: { needs: 'login', run: upgradeModel },
} satisfies FacadeTable<typeof spec>;

/** Forgets which agents did not come up with the controller's program, so that they are asked again. */
async function abortModelUpgrade(
  call: Call,
  params: ParamsOf<typeof spec, 'AbortModelUpgrade'>,
): Promise<ResultOf<typeof spec, 'AbortModelUpgrade'>> {
  const uuid = checkModel(call, params['model-tag']);
  await call.store.change((tx) => forgetFailedPrograms(tx.in(uuid)), call.by);
  return {};
}

function upgradeModel(
  call: Call,
  params: ParamsOf<typeof spec, 'UpgradeModel'>,
): ResultOf<typeof spec, 'UpgradeModel'> {
  const uuid = checkModel(call, params['model-tag']);
  const { version, agentBuild } = call.services;
  const refusal = modelUpgradeRefusal({
    target: params['target-version'],
    controller: version,
    agents:
      agentBuild === undefined ? undefined : agentUpgrade(call.read().in(uuid).list('machine'), agentBuild),
  });
  return { 'chosen-version': '0.0.0', error: itemError(call, refusal) };
}

function checkModel(call: Call, tag: string): string {
  const { uuid } = modelOfTag(call, tag, 'write');
  checkNotBlocked(call.read().in(uuid), 'change');
  return uuid;
}
