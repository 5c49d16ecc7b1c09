/** Two real controllers that share a simulated cloud, and a model with machines that can go from one to the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineAgent } from '../agent/machine/machine-agent.ts';
import { connect } from '../client/connect.ts';
import type { OtherControllers } from '../controller/other-controllers.ts';
import { JujuError } from '../core/errors.ts';
import type { Phase } from '../core/migration/phases.ts';
import { otherControllers } from '../main/controller/other-controllers.ts';
import { createSimulatedProvider, SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { testController, type TestController } from './controller.ts';
import { eventually } from './eventually.ts';
import { startMachineAgent } from './start-machine-agent.ts';
import { TcpGate } from './tcp-gate.ts';

/** What befalls a call between the controllers: the request is lost, or the answer to it. */
export type Loss = 'request' | 'answer';

export interface MigrationWorld extends AsyncDisposable {
  readonly source: TestController;
  readonly target: TestController;
  readonly model: string;
  /** Folder with a folder of each machine. */
  readonly dir: string;
  /** Lines of the agents' logs. */
  readonly lines: readonly string[];
  /** Methods that the source has called of the target, in order. */
  readonly called: readonly string[];
  /** Gate before the target. */
  readonly gate: TcpGate;
  /** Called before each call of the target: what is to befall it. */
  onCall: (method: string, n: number) => Promise<Loss | undefined> | Loss | undefined;
  /** Begins the migration; returns the result of its start. */
  begin(
    dryRun?: boolean,
  ): Promise<{ readonly 'migration-id': string; readonly error?: { readonly message: string } }>;
  phase(): Phase | undefined;
  until(...phases: readonly Phase[]): Promise<Phase>;
  restart(which: 'source' | 'target'): Promise<void>;
  /** Checks who has the model: its records, agents and machines are at one controller only. */
  expectAt(which: 'source' | 'target'): Promise<void>;
}

export async function migrationWorld({ machines = 2 } = {}): Promise<MigrationWorld> {
  await using started = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'grigri-migration-'));
  started.defer(() => rm(dir, { recursive: true, force: true }));
  const agents: MachineAgent[] = [];
  const lines: string[] = [];
  const starting: Promise<void>[] = [];
  const sourceGate = started.use(await TcpGate.open());
  const targetGate = started.use(await TcpGate.open());
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    onStart: ({ params: { machineId, agent } }) => {
      const { agentConf } = agent;
      const onLine = (line: string): void => void lines.push(line);
      const start = startMachineAgent({ dir, machineId, agentConf, address: sourceGate.address, onLine });
      starting.push(start.then((one) => void agents.push(one)));
    },
  });
  const called: string[] = [];
  const provider = createSimulatedProvider(cloud);
  const source = started.use(await testController(provider, { elsewhere: between() }));
  // The gate is the only way to the target.
  const target = started.use(await testController(provider, { hosts: [] }));
  started.defer(async () => {
    await Promise.all(starting);
    await Promise.all(agents.map((agent) => agent.stop()));
  });
  sourceGate.lead(source.running().server.port);
  targetGate.lead(target.running().server.port);
  const model = await source.addModel('work');
  const admin = await source.connect(model);
  for (let n = 0; n < machines; n++)
    await admin.call('MachineManager', 'AddMachines', {
      params: [{ jobs: ['JobHostUnits'], base: { name: 'ubuntu', channel: '24.04' } }],
    });
  await admin.close();
  const migration = () => source.running().store.read().get('migration', model);
  const owned = started.move();

  function between(): OtherControllers {
    let n = 0;
    return {
      ...otherControllers,
      async connect(options) {
        const connection = await otherControllers.connect(options);
        return {
          closed: connection.closed,
          close: () => connection.close(),
          async call(facade, method, params, how) {
            called.push(method);
            const loss = await world.onCall(method, n++);
            if (loss === 'request') throw new JujuError('try again', 'the request is lost');
            const answer = await connection.call(facade, method, params, how);
            if (loss === 'answer') throw new JujuError('try again', 'the answer is lost');
            return answer;
          },
        };
      },
    };
  }

  const world: MigrationWorld = {
    source,
    target,
    model,
    dir,
    lines,
    called,
    gate: targetGate,
    onCall: () => undefined,
    async begin(dryRun = false) {
      await agentsAt(source);
      const connection = await source.connect();
      const { results } = await connection.call<{
        results: { 'migration-id': string; error?: { message: string } }[];
      }>('Controller', 'InitiateMigration', {
        specs: [
          {
            'model-tag': `model-${model}`,
            'target-info': {
              'controller-tag': `controller-${target.running().store.read().get('controller', 'self')!.uuid}`,
              'controller-alias': 'new',
              addrs: [targetGate.address],
              'ca-cert': target.caCert,
              'auth-tag': 'user-admin',
              password: target.password,
            },
          },
        ],
        'dry-run': dryRun,
      });
      await connection.close();
      return results[0]!;
    },
    phase: () => migration()?.phase,
    until: (...phases) =>
      eventually(() => {
        const phase = migration()?.phase;
        if (phase && phases.includes(phase)) return phase;
        throw new Error(`${phase}: ${migration()?.message}\n${lines.slice(-20).join('\n')}`);
      }),
    async restart(which) {
      const gate = which === 'source' ? sourceGate : targetGate;
      gate.shut();
      await world[which].restart();
      gate.lead(world[which].running().server.port);
    },
    async expectAt(which) {
      const other = which === 'source' ? 'target' : 'source';
      await agentsAt(world[which]);
      const machines = world[which].running().store.read().in(model).count('machine');
      const there = world[other].running().store.read();
      const left = [...there.in(model).list('machine')].length;
      if (there.get('model', model) ?? left > 0) throw new Error(`the ${other} still has the model`);
      const uuid = world[which].running().store.read().get('controller', 'self')!.uuid;
      const { services, store } = world[which].running();
      const instances = await services
        .environ(model, store.read().in(model))
        .instances.list(AbortSignal.timeout(5_000));
      if (instances.length !== machines || cloud.count !== machines)
        throw new Error(`the ${which} has ${instances.length} instances of ${cloud.count} (${uuid})`);
      const refused = await connect(world[other].connectOptions(model)).catch((error: unknown) => error);
      if (!(refused instanceof Error)) throw new Error(`the ${other} lets a client in`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  /** Waits until all machines' agents are connected, and their machines started. */
  function agentsAt(controller: TestController): Promise<void> {
    return eventually(() => {
      const { services, store } = controller.running();
      const docs = [...store.read().in(model).list('machine')];
      const absent = docs.filter(({ id, instance }) => !instance || !services.presence.isPresent(model, id));
      if (docs.length >= machines && absent.length === 0) return;
      throw new Error(
        `${docs.length} machines, absent: ${absent.map(({ id }) => id).join(' ')}\n${lines.slice(-20).join('\n')}`,
      );
    });
  }
  return world;
}
