import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { MachineProvisioner } from '../controller/workers/provisioner.ts';
import { createDispatch } from '../controller/watchers/dispatch.ts';
import { indexes } from '../core/documents.ts';
import { systemNextTurn } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import { Reconciler } from '../kit/reconciler.ts';
import { createSimulatedProvider, type SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import type { Environ } from '../providers/contract/provider.ts';
import { noBundles } from './bundles.ts';
import { ManualClock } from './manual-clock.ts';
import type { ModelFixture } from './model-fixture.ts';

interface RunningProvisioner extends AsyncDisposable {
  readonly environ: Environ;
  /** Advances the clock of the fixture and the provisioner. */
  advance(ms: number): void;
}

/** Creates the fixture's provisioner, running in the given cloud. No machine has an agent, and nothing is random. */
export function provisionerOf(
  model: ModelFixture,
  cloud: SimulatedCloud,
  change: (environ: Environ) => Environ = (environ) => environ,
): RunningProvisioner {
  const clock = new ManualClock(model.now());
  const dispatch = createDispatch(model.store, indexes);
  const environ = change(
    createSimulatedProvider(cloud).open({
      cloud: { name: 'sim', type: 'simulated', region: '', endpoint: '', config: {} },
      config: {},
      controllerUuid: model.store.read().get('controller', 'self')?.uuid ?? randomUUID(),
      modelUuid: model.uuid,
      modelName: 'default',
      stateDir: '',
      clock,
      log: silentLog,
    }),
  );
  const random = (): number => 0.5;
  const provisioner = new MachineProvisioner({
    store: model.store,
    modelUuid: model.uuid,
    services: {
      clock,
      dispatch,
      nextTurn: systemNextTurn,
      random,
      log: silentLog,
      environ: () => environ,
      presence: {
        isPresent: () => false,
        absentSince: () => undefined,
        isAwaited: () => false,
        heardAt: () => undefined,
        watch: () => () => undefined,
      },
      agentAddresses: () => Promise.resolve(['10.0.0.1:17070']),
      agentKey: createSecretKey(randomBytes(32)),
      caCert: 'certificate',
      toolsDir: '/tools',
      bundles: noBundles,
      version: '3.6.28',
    },
    wake: () => reconciler.wake(),
  });
  const reconciler = new Reconciler({
    name: 'provisioner',
    pass: (signal) => provisioner.pass(signal),
    clock,
    log: silentLog,
    random,
  }).start();
  return {
    environ,
    advance(ms) {
      model.advance(ms);
      clock.advance(ms);
    },
    async [Symbol.asyncDispose]() {
      provisioner.stop();
      await reconciler.stop();
      dispatch.stop();
    },
  };
}
