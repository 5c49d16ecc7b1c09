/** Stage for scenarios on machines of this host: for a controller of the cloud "local" whose files are on it. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../client/connection.ts';
import { hasCode } from '../../core/errors.ts';
import { ranHookOf } from '../../core/unit/hook-log.ts';
import type { Clock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { letDir, writeCharm } from '../../operate/files/scenario-charm.ts';
import type { Look } from '../../operate/scenario/conditions.ts';
import type { Stage } from '../../operate/scenario/stage.ts';
import { tagKeys, type Provider } from '../../providers/contract/provider.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import { startDaemon } from '../daemon.ts';
import { agentPid, controllerPid, instancesOf, parentOf } from './processes.ts';

const withStorage = { patterns: [], 'include-storage': true } as const;

/** Dependencies of a stage. */
interface StageHost {
  readonly model: { readonly name: string; readonly uuid: string };
  readonly controllerDir: string;
  readonly controllerUuid: string;
  /** Provider of machines on this host. */
  readonly provider: Provider;
  readonly clock: Clock;
  /** Folder for the charms that scenarios make; nothing else is in it. */
  readonly folder: string;
  /** Runs the command line in the stage's model. */
  readonly run: (argv: readonly string[]) => Promise<Ran>;
  /** Connects to the stage's model. */
  readonly connect: () => Promise<Connection>;
  /** Repeats a check until it holds; false when it does not in time. A check that throws does not hold. */
  until(check: () => Promise<boolean>): Promise<boolean>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LocalStage extends Stage {
  /** Status of the model; undefined when it is gone. */
  status(): Promise<FullStatus | undefined>;
  /** Closes its connection. */
  close(): Promise<void>;
}

export function localStage(host: StageHost): LocalStage {
  const { model, controllerDir, run } = host;
  const machines = join(controllerDir, 'machines', model.uuid);
  const unavailable = new Set<string>();
  const eye = new Eye(host.connect);
  const made = new Map<string, string>();
  return {
    model: model.name,
    words: { POOL: 'local' },
    status: () => eye.status(),
    close: () => eye.close(),
    async look(): Promise<Look> {
      // Instances are read first: an instance that is released in between is still seen with its machine.
      const instances = instancesOf(controllerDir, model.uuid).map((name) =>
        name.slice(name.lastIndexOf('-') + 1),
      );
      return { status: await eye.status(), instances };
    },
    charm(charm) {
      writeCharm(host.folder, charm);
      made.set(`./${charm.name}`, join(host.folder, charm.name));
      return Promise.resolve();
    },
    async file(name, content) {
      const path = join(host.folder, name);
      await writeFile(path, `${content}\n`);
      made.set(`./${name}`, path);
    },
    async grigri(argv) {
      const { code, stdout, stderr } = await run(argv.map((word) => withMade(word, made)));
      return { code, output: `${stdout}${stderr}` };
    },
    async hooks(unit) {
      const { stdout } = await run(['debug-log', '--replay', '--no-tail', '--include', unit]);
      return stdout.split('\n').flatMap((line) => ranHookOf(line.split(' grigri.unit ')[1] ?? '') ?? []);
    },
    until: (check) => host.until(check),
    async let(unit, hook, outcome) {
      const charm = `/var/lib/juju/agents/unit-${unit.replace('/', '-')}/charm`;
      const script = `cd ${charm} && mkdir -p ${letDir} && echo ${outcome} >${letDir}/${hook}`;
      const { code, stderr } = await run(['ssh', unit, script]);
      if (code !== 0) throw new Error(`nobody could be told: ${stderr}`);
    },
    killAgent: (machine, forGood) => killAgent(host, machine, forGood),
    async killController() {
      process.kill(controllerPid(controllerDir), 'SIGKILL');
      await startDaemon({ dataDir: controllerDir, clock: host.clock });
    },
    async cloud(event) {
      switch (event.kind) {
        case 'starts':
          // A file takes the place of the folder of the model's machines, so that no machine can be created.
          if (event.possible) {
            await rm(machines);
            await rename(`${machines}-away`, machines);
          } else {
            await rename(machines, `${machines}-away`);
            await writeFile(machines, '');
          }
          return;
        case 'zone': {
          if (event.works) unavailable.delete(event.zone);
          else unavailable.add(event.zone);
          const { code, stderr } = await run([
            'model-config',
            `unavailable-zones=${[...unavailable].join(',')}`,
          ]);
          if (code !== 0) throw new Error(stderr);
          return;
        }
        case 'loses':
          return loseInstance(host, event.machine);
        default:
          throw new Error(`on this host there is no ${event.kind}`);
      }
    },
  };
}

/** Replaces the name of a file that the scenario has made by its path: `./web`, `page=./page.txt`. */
function withMade(word: string, made: ReadonlyMap<string, string>): string {
  const at = word.indexOf('=') + 1;
  return `${word.slice(0, at)}${made.get(word.slice(at)) ?? word.slice(at)}`;
}

async function killAgent(host: StageHost, machine: string, forGood: boolean): Promise<void> {
  const { controllerDir, model } = host;
  const pid = agentPid(controllerDir, machine, model.uuid);
  if (pid === undefined) throw new Error(`no agent of machine ${machine} runs`);
  // The agent's parent, which would restart it, is stopped.
  if (forGood) process.kill(parentOf(pid), 'SIGSTOP');
  process.kill(pid, 'SIGKILL');
  if (forGood) return;
  const isBack = (): boolean => ![pid, undefined].includes(agentPid(controllerDir, machine, model.uuid));
  if (!(await host.until(() => Promise.resolve(isBack()))))
    throw new Error(`the agent of machine ${machine} was not started again`);
}

/** Removes an instance by the provider, as with the cloud's own tools, without the controller. */
async function loseInstance(host: StageHost, machine: string): Promise<void> {
  const { provider, model } = host;
  const { signal } = new AbortController();
  const { instances } = provider.open({
    cloud: { name: 'local', type: 'local', region: 'localhost', endpoint: '', config: {} },
    config: provider.validate({}),
    controllerUuid: host.controllerUuid,
    modelUuid: model.uuid,
    modelName: '',
    stateDir: join(host.controllerDir, 'machines'),
    clock: host.clock,
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
  readonly #connect: () => Promise<Connection>;
  #connection: Connection | undefined;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /**
   * Returns the status; undefined when the model does not exist. Errors: JujuError `try again` while the controller
   * does not answer.
   */
  async status(): Promise<FullStatus | undefined> {
    try {
      this.#connection ??= await this.#connect();
      return await this.#connection.call<FullStatus>('Client', 'FullStatus', withStorage);
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
}
