import type { MachineDoc } from '../../../../core/machine/document.ts';
import type { EntityRef } from '../../../../core/entity-ref.ts';
import type { ExplainView } from '../../../../core/explain/explanation.ts';
import { startWaitsFor } from '../../../../core/explain/machine-state.ts';
import { shortForm, shortReason } from '../../../../core/explain/short-form.ts';
import type { Life } from '../../../../core/life.ts';
import type { Status } from '../../../../core/status.ts';
import { explainView } from '../../shared/explain-view.ts';
import type { StatusScope } from './scope.ts';

/**
 * Adds to a dying entity's status since when it is dying and what it waits for. The message of an error stays in front.
 */
export function withEnding(scope: StatusScope, entity: EntityRef, status: Status): Status {
  const text = shortForm(entity, viewOf(scope));
  if (text === '') return status;
  const message = status.status === 'error' && status.message !== '' ? `${status.message} (${text})` : text;
  return { ...status, message };
}

/** Adds the reason for waiting to the status of a machine whose start was never tried. */
export function withStartReason(scope: StatusScope, machine: MachineDoc, status: Status): Status {
  if (status.status !== 'pending' || status.message !== '') return status;
  return { ...status, message: startWaitsFor(machine, viewOf(scope)) };
}

/** Adds a dying model's ending to its status, unless that says so already. */
export function modelEnding(scope: StatusScope, life: Life, status: Status): Status {
  if (life === 'alive') return status;
  return { ...status, message: shortReason({ kind: 'model', id: scope.view.space }, viewOf(scope)) };
}

function viewOf({ view, now, present }: StatusScope): ExplainView {
  return explainView({ view, now, present });
}
