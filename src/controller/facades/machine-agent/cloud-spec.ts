import { permissionDenied } from '../../../core/errors.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { cloudSpecOf } from '../shared/cloud-spec.ts';
import { ownUnit } from './own-unit.ts';

/**
 * Returns the cloud with its credential. Errors: `unauthorized access` when the unit's application is not trusted
 * (`deploy --trust`).
 */
export function cloudSpec(
  call: Call,
  params: MachineAgentMethods['CloudSpec']['params'],
): MachineAgentMethods['CloudSpec']['result'] {
  const view = call.read();
  const unit = ownUnit(call, view, params.unit);
  if (!mustGet(view, 'application', unit.application).trust) throw permissionDenied();
  return cloudSpecOf(call, mustGet(view.in(''), 'model', call.modelUuid));
}
