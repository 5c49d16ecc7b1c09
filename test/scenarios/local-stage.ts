/** Stage for scenarios on real machines of this host, by the command line. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDaemon } from '../../src/cli/daemon.ts';
import { ClientStore } from '../../src/cli/files/client-store.ts';
import { connect } from '../../src/client/connect.ts';
import type { Connection } from '../../src/client/connection.ts';
import { hasCode } from '../../src/core/errors.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLog } from '../../src/kit/log.ts';
import { local } from '../../src/providers/clouds/local/index.ts';
import { tagKeys } from '../../src/providers/contract/provider.ts';
import { hooksIn, letDir, writeCharm } from '../../src/testing/scenarios/charm-files.ts';
import type { Look } from '../../src/testing/scenarios/conditions.ts';
import type { Stage } from '../../src/testing/scenarios/stage.ts';
import type { FullStatus } from '../../src/wire/facades/client.ts';
import type { World } from '../world.ts';

export interface LocalStage extends Stage {
  /** Removes the model with everything in it. */
  end(): Promise<void>;
}

/** Creates a stage. `model`: a name that no other stage of this world has. */
export async function localStage(world: World, model: string): Promise<LocalStage> {
  const uuid = await world.addModel(model);
  const cwd = join(world.dir, model);
  mkdirSync(cwd);
  const machines = join(world.controllerDir, 'machines', uuid);
  const unavailable = new Set<string>();
  const eye = new Eye(world, uuid);
  const run = (...argv: string[]) => world.run(argv, { cwd, model });

  async function look(): Promise<Look> {
    // Instances are read first: one that is released in between is still seen with its machine.
    const instances = world
      .instances()
      .filter((path) => path.startsWith(`${uuid}/`))
      .map((path) => path.replace(/.*-/, ''));
    return { status: await eye.status(), instances };
  }

  return {
    model,
    look,
    charm(charm) {
      writeCharm(cwd, charm);
      return Promise.resolve();
    },
    async grigri(argv) {
      const { code, stdout, stderr } = await run(...argv);
      return { code, output: `${stdout}${stderr}` };
    },
    async hooks(unit) {
      const { stdout } = await run('debug-log', '--replay', '--no-tail', '--include', unit);
      return hooksIn(stdout);
    },
    until: (check) => world.within(check),
    async let(unit, hook, outcome) {
      const charm = `/var/lib/juju/agents/unit-${unit.replace('/', '-')}/charm`;
      const script = `cd ${charm} && mkdir -p ${letDir} && echo ${outcome} >${letDir}/${hook}`;
      const { code, stderr } = await run('ssh', unit, script);
      if (code !== 0) throw new Error(`nobody could be told: ${stderr}`);
    },
    async killAgent(machine, forGood) {
      const pid = world.agentPid(machine, uuid);
      if (pid === undefined) throw new Error(`no agent of machine ${machine} runs`);
      // Its parent, which would restart it, is stopped.
      if (forGood) process.kill(parentOf(pid), 'SIGSTOP');
      process.kill(pid, 'SIGKILL');
      if (forGood) return;
      const again = (): boolean => ![pid, undefined].includes(world.agentPid(machine, uuid));
      if (!(await world.within(() => Promise.resolve(again()))))
        throw new Error(`the agent of machine ${machine} was not started again`);
    },
    async killController() {
      process.kill(Number(readFileSync(join(world.controllerDir, 'controller.pid'), 'utf8')), 'SIGKILL');
      await startDaemon({ dataDir: world.controllerDir });
    },
    async cloud(event) {
      switch (event.kind) {
        case 'starts':
          // A file in the place of the folder of the model's machines, so that none can be created.
          if (event.possible) {
            rmSync(machines);
            renameSync(`${machines}-away`, machines);
          } else {
            renameSync(machines, `${machines}-away`);
            writeFileSync(machines, '');
          }
          return;
        case 'zone': {
          if (event.works) unavailable.delete(event.zone);
          else unavailable.add(event.zone);
          const { code, stderr } = await run(
            'model-config',
            `unavailable-zones=${[...unavailable].join(',')}`,
          );
          if (code !== 0) throw new Error(stderr);
          return;
        }
        case 'loses':
          return loseInstance(world, uuid, event.machine);
        default:
          throw new Error(`on this host there is no ${event.kind}`);
      }
    },
    async report() {
      const { stdout } = await run('status', '--relations');
      const log = await run('debug-log', '--replay', '--no-tail');
      return `${stdout}\n${log.stdout.slice(-6000)}`;
    },
    async end() {
      await eye.close();
      await run('destroy-model', model, '--no-prompt', '--force', '--no-wait', '--timeout', '60s');
    },
  };
}

/** Removes an instance by the provider, as with the cloud's own tools, without the controller. */
async function loseInstance(world: World, modelUuid: string, machine: string): Promise<void> {
  const { signal } = new AbortController();
  const { details } = await knownController(world);
  const { instances } = local.open({
    cloud: { name: 'local', type: 'local', region: 'localhost', endpoint: '', config: {} },
    config: local.validate({}),
    controllerUuid: details.uuid,
    modelUuid,
    modelName: '',
    stateDir: join(world.controllerDir, 'machines'),
    clock: systemClock,
    log: silentLog,
  });
  const found = (await instances.list(signal)).filter(({ tags }) => tags[tagKeys.machine] === machine);
  if (found.length === 0) throw new Error(`there is no instance of machine ${machine}`);
  await instances.stop(
    found.map(({ id }) => id),
    signal,
  );
}

/** Reads a model's status over a connection of its own, which is much cheaper than a command each time. */
class Eye {
  readonly #world: World;
  readonly #uuid: string;
  #connection: Connection | undefined;

  constructor(world: World, uuid: string) {
    this.#world = world;
    this.#uuid = uuid;
  }

  /** Undefined when the model does not exist. Errors: JujuError `try again` while the controller does not answer. */
  async status(): Promise<FullStatus | undefined> {
    try {
      this.#connection ??= await this.#connect();
      return await this.#connection.call<FullStatus>('Client', 'FullStatus', { patterns: [] });
    } catch (error) {
      await this.close();
      if (hasCode(error, 'model not found')) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#connection = undefined;
  }

  async #connect(): Promise<Connection> {
    const { details, account } = await knownController(this.#world);
    return connect({
      addresses: details['api-endpoints'],
      caCert: details['ca-cert'],
      modelUuid: this.#uuid,
      login: { tag: `user-${account.user}`, password: account.password },
    });
  }
}

/** The controller as registered in the client's files. */
async function knownController({ name, dir }: World) {
  const store = new ClientStore(join(dir, 'client'), systemClock);
  const details = (await store.controllers())[name];
  const account = await store.account(name);
  if (!details || !account?.password) throw new Error(`controller ${name} is not known`);
  return { details, account: { user: account.user, password: account.password } };
}

function parentOf(pid: number): number {
  // The name, in parentheses, may contain spaces.
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[1]);
}
