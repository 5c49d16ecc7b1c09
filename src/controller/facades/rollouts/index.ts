import { JujuError } from '../../../core/errors.ts';
import type { rollouts as spec } from '../../../wire/facades/rollouts.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { beginRollout, abortRollout, resumeRollout, rollBack } from '../../transactions/change/rollout.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { asRefresh, withCharm } from '../application/set-charm.ts';
import { changeModel } from '../shared/change-model.ts';
import { plan, planRollback, rollingOf } from './plan.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { shownRollout } from '../shared/shown-rollout.ts';

type Named = ParamsOf<typeof spec, 'Abort'>;

export const rollouts = {
  Begin: { needs: 'model-write', blockable: asRefresh, run: begin },
  Plan: { needs: 'model-write', blockable: 'change', run: plan },
  PlanRollback: { needs: 'model-write', blockable: 'change', run: planRollback },
  Resume: { needs: 'model-write', blockable: 'change', run: change(resumeRollout) },
  Abort: { needs: 'model-write', blockable: 'change', run: change(abortRollout) },
  Rollback: { needs: 'model-write', blockable: 'change', run: rollback },
  Get: { needs: 'model-read', run: get },
} satisfies FacadeTable<typeof spec>;

function begin(call: Call, params: ParamsOf<typeof spec, 'Begin'>): Promise<ResultOf<typeof spec, 'Begin'>> {
  const rolling = rollingOf(params);
  return withCharm(call, params, (tx, args) => beginRollout(tx, { ...args, rolling }));
}

function change(transaction: (tx: Tx, application: string) => void) {
  return async (call: Call, { application }: Named): Promise<Record<string, never>> => {
    await changeModel(call, (tx) => transaction(tx, application));
    return {};
  };
}

function rollback(call: Call, { application }: Named): Promise<ResultOf<typeof spec, 'Rollback'>> {
  return changeModel(call, (tx) => requirementsChange(tx, [application], rollBack(tx, application).settled));
}

/** Returns the roll-out. Errors: '' for a dying application, whose roll-out ended with some units on another charm. */
function get(call: Call, { application: name }: Named): ResultOf<typeof spec, 'Get'> {
  const view = call.read();
  const application = mustGet(view, 'application', name);
  if (application.life !== 'alive') throw new JujuError('', `application "${name}" is ${application.life}`);
  const present = (machine: string): boolean => call.services.presence.isPresent(call.modelUuid, machine);
  return { charm: application.charmUrl, ...shownRollout(view, application, present) };
}
