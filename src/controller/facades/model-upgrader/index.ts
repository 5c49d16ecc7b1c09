import { checkNotBlocked } from '../../../core/block/blocks.ts';
import { agentUpgrade } from '../../../core/machine/program.ts';
import { defined } from '../../../core/defined.ts';
import { planModelUpgrade } from '../../../core/model/upgrade.ts';
import type { modelUpgrader as spec } from '../../../wire/facades/model-upgrader.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { forgetFailedPrograms, setModelProgram } from '../../transactions/change/agent-program.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
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

/** Has the model's agents take the controller's program, or says why they do not. */
async function upgradeModel(
  call: Call,
  params: ParamsOf<typeof spec, 'UpgradeModel'>,
): Promise<ResultOf<typeof spec, 'UpgradeModel'>> {
  const uuid = checkModel(call, params['model-tag']);
  const { version, agentBuild } = call.services;
  const upgrade = (tx: Tx): string => {
    const root = tx.in('');
    const { program } = mustGet(root, 'model', uuid);
    const build = program?.build ?? agentBuild;
    const next = planModelUpgrade({
      target: params['target-version'],
      ignoreAgents: params['ignore-agent-versions'] ?? false,
      program,
      controller: { version, ...defined({ agentBuild }) },
      agents: build === undefined ? undefined : agentUpgrade(tx.in(uuid).list('machine'), build),
    });
    if (params['dry-run'] !== true) setModelProgram(root, uuid, next);
    return next.version;
  };
  try {
    return { 'chosen-version': await call.store.change(upgrade, call.by) };
  } catch (error) {
    return { 'chosen-version': '0.0.0', error: itemError(call, error) };
  }
}

function checkModel(call: Call, tag: string): string {
  const { uuid } = modelOfTag(call, tag, 'write');
  checkNotBlocked(call.read().in(uuid), 'change');
  return uuid;
}
