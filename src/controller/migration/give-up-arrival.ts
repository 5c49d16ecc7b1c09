import type { ArrivalDoc } from '../../core/arrival/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { documentsOf } from '../transactions/end/remove-model.ts';
import { endArrival, mayGiveUp, removeArrived } from '../transactions/remote/arrivals.ts';

const documentsAtOnce = 500;

interface Needs {
  readonly store: Store<Entities>;
  readonly by: string;
  readonly services: Pick<Services, 'arrivingContents' | 'arrivingTexts' | 'nextTurn'>;
}

/** Removes all that has arrived of a model. Errors: '' when the model was activated. */
export async function giveUpArrival(
  { store, by, services }: Needs,
  of: Pick<ArrivalDoc, 'migration' | 'model'>,
): Promise<void> {
  services.arrivingTexts.forget(of.migration);
  while (mayGiveUp(store.read(), of)) {
    const documents = documentsOf(store.read().in(of.model));
    for (let first = 0; first < documents.length; first += documentsAtOnce) {
      const batch = documents.slice(first, first + documentsAtOnce);
      await store.change((tx) => removeArrived(tx.in(''), of, batch), by);
      await new Promise<void>((resolve) => services.nextTurn(resolve));
    }
    if (!(await store.change((tx) => endArrival(tx.in(''), of), by))) continue;
    await services.arrivingContents.forget(of.model);
    return;
  }
}
