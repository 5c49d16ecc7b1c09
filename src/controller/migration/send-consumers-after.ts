/** Models of this controller that consume offers of one that has gone to another (migration.md#consumers-follow). */
import type { Entities } from '../../core/kinds.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { isMoved } from '../../core/migration/phases.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { followOffers } from '../transactions/remote/follow-offers.ts';
import { rights } from './rights.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'agentKey' | 'clock' | 'nextTurn' | 'sealer'>;
}

/**
 * Makes each model that consumes offers of the migrated one consume them at the target, with macaroons that the source
 * gives for the last time. Errors: `model migration in progress` for one that may go, too.
 */
export async function sendConsumersAfter(needs: Needs, { model, target }: MigrationDoc): Promise<void> {
  const { store, services } = needs;
  const { uuid, alias, addresses, caCert } = target;
  const moved = { model, from: '', to: { uuid, alias, addresses, caCert }, mint: rights(needs) };
  for (const consumer of consumersHere(store, model)) {
    await store.change((root) => followOffers(root.in(consumer), moved), 'migration-master');
    await new Promise<void>((resolve) => services.nextTurn(resolve));
  }
}

/** Models that are here: one that has gone has taken along what it consumes as this controller's. */
function consumersHere(store: Store<Entities>, model: string): string[] {
  const root = store.read();
  return [...root.list('model')]
    .filter(({ uuid }) => uuid !== model && !isMoved(root.get('migration', uuid)))
    .map(({ uuid }) => uuid)
    .filter((uuid) => consumes(root.in(uuid), model));
}

function consumes(view: ReturnType<Store<Entities>['read']>, model: string): boolean {
  for (const { saas } of view.find('remote-application', 'model', model))
    if (saas && !saas.elsewhere) return true;
  for (const end of view.find('relation-end', 'controller', '')) if (end.model === model) return true;
  return false;
}
