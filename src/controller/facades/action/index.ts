import type { action as spec } from '../../../wire/facades/action.ts';
import type { FacadeTable } from '../../facade.ts';
import { actions } from './actions.ts';
import { applicationsCharmsActions } from './applications-charms-actions.ts';
import { cancel } from './cancel.ts';
import { enqueueOperation } from './enqueue-operation.ts';
import { listOperations } from './list-operations.ts';
import { operations } from './operations.ts';
import { runOnAllMachines } from './run-on-all-machines.ts';
import { run } from './run.ts';
import { watchActionsProgress } from './watch-actions-progress.ts';

/** Facade for actions and commands. Commands run as root, so they are only for admins of the model. */
export const action = {
  Actions: { needs: 'model-read', run: actions },
  ApplicationsCharmsActions: { needs: 'model-read', run: applicationsCharmsActions },
  Cancel: { needs: 'model-write', blockable: 'never', run: cancel },
  EnqueueOperation: { needs: 'model-write', blockable: 'never', run: enqueueOperation },
  ListOperations: { needs: 'model-read', run: listOperations },
  Operations: { needs: 'model-read', run: operations },
  Run: { needs: 'model-admin', blockable: 'change', run },
  RunOnAllMachines: { needs: 'model-admin', blockable: 'change', run: runOnAllMachines },
  WatchActionsProgress: { needs: 'model-read', run: watchActionsProgress },
} satisfies FacadeTable<typeof spec>;
