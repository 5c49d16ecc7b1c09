/** The workers of every model: started with the model, stopped when its record is gone. And those of none. */
import type { Topic } from '../watchers/dispatch.ts';
import type { Entities } from '../../core/kinds.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { createBlobCollector } from './blob-collector.ts';
import { createCleaner } from './cleaner.ts';
import { createFirewaller } from './firewaller.ts';
import { createHarvester } from './harvester.ts';
import { createInstancePoller } from './instance-poller.ts';
import { createOperationPruner } from './operation-pruner.ts';
import { createProfileAssigner } from './profile-assigner.ts';
import { createProvisioner } from './provisioner.ts';
import { createUndertaker } from './undertaker.ts';
import { createUnitPlacer } from './unit-placer.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

export function startModelWorkers(needs: Needs): { stop(): Promise<void> } {
  const { store, services } = needs;
  const running = new Map<string, () => Promise<void>>();
  const look = (): void => {
    const models = new Set([...store.read().list('model')].map((model) => model.uuid));
    for (const uuid of models) if (!running.has(uuid)) running.set(uuid, startOne(needs, uuid));
    for (const [uuid, stop] of running) {
      if (models.has(uuid)) continue;
      running.delete(uuid);
      void stop();
    }
  };
  const end = services.dispatch.on('', 'model', look);
  look();
  const collecting = createBlobCollector({ store, services, wake: () => collector.wake() });
  const collector = new Reconciler({
    name: 'blob collector',
    pass: () => services.turns.run({ name: 'blob-collector', by: '' }, () => collecting.pass()),
    clock: services.clock,
    log: services.log.module('grigri.blob-collector'),
    random: services.random,
  }).start();
  return {
    async stop() {
      end();
      collecting.stop();
      await Promise.all([collector.stop(), ...[...running.values()].map((stop) => stop())]);
    },
  };
}

function startOne({ store, services }: Needs, modelUuid: string): () => Promise<void> {
  const ends: (() => void)[] = [];
  const worker = (
    name: string,
    pass: (signal: AbortSignal) => Promise<number | void>,
    wakesOn: readonly Topic[],
  ): Reconciler => {
    const reconciler = new Reconciler({
      name: `${name} ${modelUuid.slice(0, 6)}`,
      pass: (signal) => services.turns.run({ name, by: modelUuid }, () => pass(signal)),
      clock: services.clock,
      log: services.log.module(`grigri.${name}`),
      random: services.random,
    });
    for (const topic of wakesOn) ends.push(services.dispatch.on(modelUuid, topic, () => reconciler.wake()));
    ends.push(services.dispatch.on('', `model ${modelUuid}`, () => reconciler.wake()));
    return reconciler;
  };
  const common = { store, services, modelUuid };
  const provisioning = createProvisioner({ ...common, wake: () => provisioner.wake() });
  const provisioner = worker('provisioner', provisioning.pass, []);
  const firewall = createFirewaller({ ...common, wake: () => firewaller.wake() });
  const firewaller = worker('firewaller', firewall.pass, []);
  const assigning = createProfileAssigner({ ...common, wake: () => assigner.wake() });
  const assigner = worker('profile-assigner', assigning.pass, []);
  const polling = createInstancePoller({ ...common, wake: () => poller.wake() });
  const poller = worker('instance-poller', polling.pass, []);
  const harvesting = createHarvester({ ...common, wake: () => harvester.wake() });
  const harvester = worker('harvester', harvesting.pass, []);
  const cleaning = createCleaner(common);
  const cleaner = worker('cleaner', cleaning.pass, [
    'application',
    'relation',
    'machine@force forced',
    'unit@force forced',
  ]);
  const placing = createUnitPlacer({ ...common, wake: () => placer.wake() });
  const placer = worker('unit-placer', placing.pass, []);
  const pruning = createOperationPruner({ ...common, wake: () => pruner.wake() });
  const pruner = worker('operation-pruner', pruning.pass, []);
  const undertaker = worker('undertaker', createUndertaker(common), ['application', 'machine', 'unit']);
  const all = [provisioner, poller, harvester, firewaller, assigner, cleaner, placer, pruner, undertaker];
  for (const one of all) one.start();
  return async () => {
    for (const end of ends) end();
    provisioning.stop();
    firewall.stop();
    assigning.stop();
    polling.stop();
    harvesting.stop();
    cleaning.stop();
    placing.stop();
    pruning.stop();
    await Promise.all(all.map((one) => one.stop()));
  };
}
