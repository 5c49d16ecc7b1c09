/**
 * Workers of every model, started with the model and stopped when its record is gone, and workers of the controller.
 */
import type { Topic } from '../watchers/dispatch.ts';
import type { Entities } from '../../core/kinds.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import { mayWork } from '../../core/migration/phases.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { Adopter } from './adopter.ts';
import { startMigrations } from './migrations.ts';
import { ContentEraser } from './content-eraser.ts';
import { AgentUpgrader } from './agent-upgrader.ts';
import { AnnouncementCleaner } from './announcement-cleaner.ts';
import { BackupScheduler } from './backup-scheduler.ts';
import { createBlobCollector } from './blob-collector.ts';
import { Cleaner } from './cleaner.ts';
import { Firewaller } from './firewaller.ts';
import { GateKeeper } from './gate-keeper.ts';
import { Harvester } from './harvester.ts';
import { InstancePoller } from './instance-poller.ts';
import type { ModelWorker } from './model-worker.ts';
import { OperationPruner } from './operation-pruner.ts';
import { ProfileAssigner } from './profile-assigner.ts';
import { MachineProvisioner } from './provisioner.ts';
import { LateCalls } from './late-calls.ts';
import { silence } from './limited-calls.ts';
import { RemoteRelations } from './remote-relations.ts';
import { Rollouts } from './rollouts.ts';
import { StorageWorker } from './storage-worker.ts';
import { VolumeHarvester } from './volume-harvester.ts';
import { SecretClock } from './secret-clock.ts';
import { SecretDrainer } from './secret-drainer.ts';
import { SecretRemover } from './secret-remover.ts';
import { TokenRotator } from './token-rotator.ts';
import { Undertaker } from './undertaker.ts';
import { UnitPlacer } from './unit-placer.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

export function startModelWorkers(needs: Needs): { stop(): Promise<void> } {
  const { store, services } = needs;
  const running = new Map<string, () => Promise<void>>();
  const stopped = new AbortController();
  // The timer does not jump with the host's clock.
  let mayComeLate = true;
  services.clock.sleep(silence.answerMs + silence.lateMs, stopped.signal).then(
    () => (mayComeLate = false),
    () => undefined,
  );
  /** Workers that are ending, by model. */
  const ending = new Map<string, Promise<void>>();
  /** `inherited`: models of an earlier controller, which may have been killed during its calls. */
  const update = (inherited: boolean): void => {
    if (stopped.signal.aborted) return;
    const models = workedOn(store.read());
    for (const uuid of models)
      if (!running.has(uuid) && !ending.has(uuid))
        running.set(uuid, startWorkers({ ...needs, mayCallsCome: () => inherited && mayComeLate }, uuid));
    for (const [uuid, stop] of running) {
      if (models.has(uuid)) continue;
      running.delete(uuid);
      // A migration that is given up starts them again.
      const ended = stop().finally(() => {
        ending.delete(uuid);
        update(false);
      });
      ending.set(uuid, ended);
    }
  };
  const ends = (['model', 'migration', 'arrival'] as const).map((kind) =>
    services.dispatch.on('', kind, () => update(false)),
  );
  update(true);
  const migrations = startMigrations(needs, async (model) => ending.get(model));
  const reconciler = (name: string, pass: (signal: AbortSignal) => Promise<number | void>): Reconciler =>
    new Reconciler({
      name,
      pass: (signal) => services.turns.run({ name, by: '' }, () => pass(signal)),
      clock: services.clock,
      log: services.log.module(`grigri.${name}`),
      random: services.random,
    }).start();
  const collecting = createBlobCollector({ store, services, wake: () => collector.wake() });
  const collector = reconciler('blob-collector', () => collecting.pass());
  const erasing = new ContentEraser({ store, services, wake: () => eraser.wake() });
  const eraser = reconciler('content-eraser', (signal) => erasing.pass(signal));
  const rotating = new TokenRotator({ store, services, wake: () => rotator.wake() });
  const late = new LateCalls({ store, services, wake: () => looker.wake() });
  const looker = reconciler('late-calls', (signal) => late.pass(signal));
  const rotator = reconciler('token-rotator', () => rotating.pass());
  const scheduling = new BackupScheduler({ store, services, wake: () => scheduler.wake() });
  const scheduler = reconciler('backup-scheduler', (signal) => scheduling.pass(signal));
  const adopting = new Adopter({ store, services, wake: () => adopter.wake() });
  const adopter = reconciler('adopter', (signal) => adopting.pass(signal));
  return {
    async stop() {
      for (const end of ends) end();
      adopting.stop();
      collecting.stop();
      erasing.stop();
      rotating.stop();
      late.stop();
      scheduling.stop();
      stopped.abort(new Error('the workers stopped'));
      await Promise.all([
        collector.stop(),
        eraser.stop(),
        rotator.stop(),
        looker.stop(),
        scheduler.stop(),
        adopter.stop(),
        migrations.stop(),
        ...ending.values(),
        ...[...running.values()].map((stop) => stop()),
      ]);
    },
  };
}

type ModelNeeds = HeirNeeds & { readonly modelUuid: string; readonly wake: () => void };
/** Needs with what the undertaker asks about calls of earlier controllers. */
type HeirNeeds = Needs & { readonly mayCallsCome: () => boolean };
/** Models whose workers run: not those that go to another controller, or whose machines are not here yet. */
function workedOn(root: Reader<Entities>): ReadonlySet<string> {
  const models = new Set<string>();
  for (const { uuid } of root.list('model'))
    if (mayWork(root.get('migration', uuid)) && root.get('arrival', uuid)?.state !== 'adopting')
      models.add(uuid);
  return models;
}

/** Workers of a model: name in logs, constructor, and the topics that wake each besides its own subscriptions. */
const workers: readonly (readonly [
  name: string,
  make: (needs: ModelNeeds) => ModelWorker,
  ...wakesOn: Topic[],
])[] = [
  ['provisioner', (needs) => new MachineProvisioner(needs)],
  ['instance-poller', (needs) => new InstancePoller(needs)],
  ['harvester', (needs) => new Harvester(needs)],
  ['firewaller', (needs) => new Firewaller(needs)],
  ['profile-assigner', (needs) => new ProfileAssigner(needs)],
  [
    'cleaner',
    (needs) => new Cleaner(needs),
    'application',
    'relation',
    'machine@force forced',
    'unit@force forced',
  ],
  ['unit-placer', (needs) => new UnitPlacer(needs)],
  ['remote-relations', (needs) => new RemoteRelations(needs)],
  ['rollouts', (needs) => new Rollouts(needs)],
  ['gate-keeper', (needs) => new GateKeeper(needs)],
  ['secret-clock', (needs) => new SecretClock(needs)],
  ['secret-drainer', (needs) => new SecretDrainer(needs)],
  ['secret-remover', (needs) => new SecretRemover(needs)],
  ['operation-pruner', (needs) => new OperationPruner(needs)],
  ['agent-upgrader', (needs) => new AgentUpgrader(needs)],
  ['announcement-cleaner', (needs) => new AnnouncementCleaner(needs)],
  ['undertaker', (needs) => new Undertaker(needs), 'application', 'machine', 'unit', 'storage'],
  ['storage', (needs) => new StorageWorker(needs)],
  ['volume-harvester', (needs) => new VolumeHarvester(needs)],
];

function startWorkers({ store, services, mayCallsCome }: HeirNeeds, modelUuid: string): () => Promise<void> {
  const started = workers.map(([name, make, ...wakesOn]) => {
    const worker = make({ store, services, mayCallsCome, modelUuid, wake: () => reconciler.wake() });
    const reconciler = new Reconciler({
      name: `${name} ${modelUuid.slice(0, 6)}`,
      pass: (signal) => services.turns.run({ name, by: modelUuid }, () => worker.pass(signal)),
      clock: services.clock,
      log: services.log.module(`grigri.${name}`),
      random: services.random,
    });
    const wake = (): void => reconciler.wake();
    const ends = [
      ...wakesOn.map((topic) =>
        services.dispatch.on(modelUuid, topic, (change) => {
          if (!worker.ignores?.(change)) wake();
        }),
      ),
      services.dispatch.on('', `model ${modelUuid}`, wake),
    ];
    return { worker, reconciler, ends };
  });
  for (const { reconciler } of started) reconciler.start();
  return async () => {
    for (const { ends } of started) for (const end of ends) end();
    await Promise.all(
      started.map(async ({ worker, reconciler }) => {
        await worker.stop?.();
        await reconciler.stop();
      }),
    );
  };
}
