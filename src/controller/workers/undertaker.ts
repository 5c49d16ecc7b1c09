/** Takes a dying model down: applications, then machines, then what the provider made for it, the record last. */
import type { Entities } from '../../core/entities.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
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
    const force = model.destroy?.force ?? false;

    for (const { name, life } of view.list('application')) {
      if (life !== 'alive' && !force) continue;
      await store.change((tx) => {
        const space = tx.in(modelUuid);
        if (space.get('application', name)) destroyApplication(space, { application: name, force });
      }, by);
    }
    for (const { id, life, isController } of view.list('machine')) {
      if (isController || (life !== 'alive' && !force)) continue;
      try {
        await store.change((tx) => {
          const space = tx.in(modelUuid);
          if (space.get('machine', id)) destroyMachine(space, { machine: id, force, keepInstance: false });
        }, by);
      } catch (error) {
        // Its units go first; their removal wakes this worker again.
        if (!hasCode(error, 'machine has assigned units') && !hasCode(error, 'machine is hosting containers'))
          throw error;
      }
    }
    const now = store.read().in(modelUuid);
    if (now.count('application') + now.count('unit') + now.count('machine') > 0) return;
    await services.environ(modelUuid, now).destroyModel(signal);
    await store
      .change((tx) => removeModel(tx.in(''), modelUuid), by)
      .catch((error: unknown) => {
        if (!(error instanceof JujuError) || error.code !== 'model not empty') throw error;
      });
    services.logs.remove(modelUuid);
    services.log.module('grigri.undertaker').info('model removed', { model: model.name });
  };
}
