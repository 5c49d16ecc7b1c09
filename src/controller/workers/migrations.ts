/** Migrations of models to other controllers: one worker for each that is active. */
import type { Entities } from '../../core/kinds.ts';
import { isActive } from '../../core/migration/phases.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { Migrator } from './migrator.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

/** Starts them. `workersEnded`: waits until a model's other workers, which were told to, have ended. */
export function startMigrations(
  { store, services }: Needs,
  workersEnded: (model: string) => Promise<void>,
): { stop(): Promise<void> } {
  const running = new Map<string, Reconciler>();
  const update = (): void => {
    for (const doc of store.read().list('migration')) {
      const { model } = doc;
      const known = running.get(model);
      if (known || !isActive(doc)) known?.wake();
      else running.set(model, start(model));
    }
  };
  const start = (model: string): Reconciler => {
    const wake = (): void => running.get(model)?.wake();
    const worker = new Migrator({
      store,
      services,
      modelUuid: model,
      wake,
      workersEnded: () => workersEnded(model),
    });
    return new Reconciler({
      name: `migration-master ${model.slice(0, 6)}`,
      pass: (signal) =>
        services.turns.run({ name: 'migration-master', by: model }, () => worker.pass(signal)),
      clock: services.clock,
      log: services.log.module('grigri.migration-master'),
      random: services.random,
    }).start();
  };
  const end = services.dispatch.on('', 'migration', update);
  update();
  return {
    async stop() {
      end();
      await Promise.all([...running.values()].map((one) => one.stop()));
    },
  };
}
