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
import { parseAgentConf } from '../wire/agent-conf.ts';
import { startMachineAgent } from './start-machine-agent.ts';
import { TcpGate } from './tcp-gate.ts';

/** What befalls a call between the controllers: the request is lost, or the answer to it. */
export type Loss = 'request' | 'answer';

/** A model that can go from the source to the target. */
export interface Mover {
  readonly model: string;
  /** Begins the migration; returns the result of its start. */
  begin(
    dryRun?: boolean,
  ): Promise<{ readonly 'migration-id': string; readonly error?: { readonly message: string } }>;
  phase(): Phase | undefined;
  until(...phases: readonly Phase[]): Promise<Phase>;
  /** Checks who has the model: its records, agents and machines are at one controller only. */
  expectAt(which: 'source' | 'target'): Promise<void>;
}

export interface MigrationWorld extends Mover, AsyncDisposable {
  readonly source: TestController;
  readonly target: TestController;
  /** Folder with a folder of each model, which has one of each machine. */
  readonly dir: string;
  /** Lines of the agents' logs. */
  readonly lines: readonly string[];
  /** Methods that the source has called of the target, in order. */
  readonly called: readonly string[];
  /** Gate before the target. */
  readonly gate: TcpGate;
  /** Called before each call of the target: what is to befall it. */
  onCall: (method: string, n: number) => Promise<Loss | undefined> | Loss | undefined;
  restart(which: 'source' | 'target'): Promise<void>;
  /** Another model of the source, with this number of machines. */
  mover(model: string, machines: number): Mover;
}

export async function migrationWorld({ machines = 2 } = {}): Promise<MigrationWorld> {
  await using started = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'grigri-m-'));
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
      const start = startMachineAgent({
        // Sockets in the folder have short names only.
        dir: join(dir, parseAgentConf(agentConf).model.slice(0, 4)),
        machineId,
        agentConf,
        address: sourceGate.address,
        onLine,
      });
      starting.push(start.then((one) => void agents.push(one)));
    },
  });
  const called: string[] = [];
  const provider = createSimulatedProvider(cloud);
  const source = started.use(await testController(provider, { elsewhere: between() }));
  // The gates are the only ways to the controllers, whose ports are others after each start.
  const target = started.use(
    await testController(provider, {
      hosts: [],
      elsewhere: { ...otherControllers, connect: (options) => otherControllers.connect(gated(options)) },
    }),
  );
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
  const owned = started.move();

  function between(): OtherControllers {
    let n = 0;
    return {
      ...otherControllers,
      async connect(options) {
        const connection = await otherControllers.connect(gated(options));
        // Calls about relations that go across are not the migration's.
        if (options.login.tag === 'user-jujuanonymous') return connection;
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

  /** The options with the gate in the place of the controller's addresses. */
  function gated(options: Parameters<OtherControllers['connect']>[0]): typeof options {
    const gate = options.caCert.includes(target.caCert) ? targetGate : sourceGate;
    return { ...options, addresses: [gate.address] };
  }

  const world: MigrationWorld = {
    ...mover(model, machines),
    source,
    target,
    dir,
    lines,
    called,
    gate: targetGate,
    onCall: () => undefined,
    mover,
    async restart(which) {
      const gate = which === 'source' ? sourceGate : targetGate;
      gate.shut();
      await world[which].restart();
      gate.lead(world[which].running().server.port);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  function mover(uuid: string, count: number): Mover {
    const migration = () => source.running().store.read().get('migration', uuid);
    return {
      model: uuid,
      async begin(dryRun = false) {
        await agentsAt(source, uuid, count);
        const connection = await source.connect();
        const { results } = await connection.call<{
          results: { 'migration-id': string; error?: { message: string } }[];
        }>('Controller', 'InitiateMigration', {
          specs: [
            {
              'model-tag': `model-${uuid}`,
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
      async expectAt(which) {
        const other = which === 'source' ? 'target' : 'source';
        await agentsAt(world[which], uuid, count);
        const found = world[which].running().store.read().in(uuid).count('machine');
        const there = world[other].running().store.read();
        const left = [...there.in(uuid).list('machine')].length;
        if (there.get('model', uuid) ?? left > 0) throw new Error(`the ${other} still has the model`);
        const { services, store } = world[which].running();
        const instances = await services
          .environ(uuid, store.read().in(uuid))
          .instances.list(AbortSignal.timeout(5_000));
        if (instances.length !== found || cloud.count !== machinesOfAll())
          throw new Error(`the ${which} has ${instances.length} instances of ${cloud.count}`);
        const refused = await connect(world[other].connectOptions(uuid)).catch((error: unknown) => error);
        if (!(refused instanceof Error)) throw new Error(`the ${other} lets a client in`);
      },
    };
  }

  function machinesOfAll(): number {
    let sum = 0;
    for (const one of [source, target]) {
      const root = one.running().store.read();
      for (const { uuid } of root.list('model'))
        if (uuid !== one.controllerModel) sum += root.in(uuid).count('machine');
    }
    return sum;
  }

  /** Waits until all machines' agents are connected, and their machines started. */
  function agentsAt(controller: TestController, of: string, count: number): Promise<void> {
    return eventually(() => {
      const { services, store } = controller.running();
      const docs = [...store.read().in(of).list('machine')];
      const absent = docs.filter(({ id, instance }) => !instance || !services.presence.isPresent(of, id));
      if (docs.length >= count && absent.length === 0) return;
      throw new Error(
        `${docs.length} machines, absent: ${absent.map(({ id }) => id).join(' ')}\n${lines.slice(-20).join('\n')}`,
      );
    });
  }
  return world;
}
