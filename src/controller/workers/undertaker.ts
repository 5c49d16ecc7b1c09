/** Takes a dying model down: applications, then machines, then what the provider made for it, the record last. */
import type { Entities } from '../../core/entities.ts';
import { hasCode } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';
import { destroyApplication } from '../transactions/destroy-application.ts';
import { destroyMachine } from '../transactions/destroy-machine.ts';
import { removeModel } from '../transactions/destroy-model.ts';

const by = 'undertaker';

export function createUndertaker(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
}): (signal: AbortSignal) => Promise<void> {
  const { store, services, modelUuid } = needs;
  return async (signal) => {
    const view = store.read().in(modelUuid);
    const model = view.in('').get('model', modelUuid);
    if (!model || model.life === 'alive') return;
    const force = model.force ? { force: { maxWaitMs: 0, by: model.force.by } } : undefined;

    for (const name of still(view, 'application', force !== undefined).map((one) => one.name)) {
      await store.change((tx) => {
        const space = tx.in(modelUuid);
        if (space.get('application', name)) destroyApplication(space, { application: name, ...force });
      }, by);
    }
    for (const { id, isController } of still(view, 'machine', force !== undefined)) {
      if (isController) continue;
      try {
        await store.change((tx) => {
          const space = tx.in(modelUuid);
          if (space.get('machine', id)) destroyMachine(space, { machine: id, ...force, keepInstance: false });
        }, by);
      } catch (error) {
        // Its units go first; their removal wakes this worker again.
        if (!hasCode(error, 'machine has assigned units') && !hasCode(error, 'machine is hosting containers'))
          throw error;
      }
    }
    const now = store.read().in(modelUuid);
    if (isImpeded({ kind: 'model', id: modelUuid }, now)) return;
    await services.environ(modelUuid, now).destroyModel(signal);
    try {
      await store.change((tx) => removeModel(tx.in(''), modelUuid), by);
    } catch (error) {
      // Something came meanwhile, and has woken this worker.
      if (hasCode(error, 'model not empty')) return;
      throw error;
    }
    services.logs.remove(modelUuid);
    services.log.module('grigri.undertaker').info('model removed', { model: model.name });
  };
}

/** What is to be told to go: found by its life, so that a pass does not go through all that is on its way already. */
function still<P extends 'application' | 'machine'>(view: View, kind: P, force: boolean): Entities[P][] {
  return (force ? ['alive', 'dying'] : ['alive']).flatMap((life) => [...view.find(kind, 'life', life)]);
}
