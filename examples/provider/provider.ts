/**
 * A worked example (docs/writing-a-provider.md): machines that are namespaces of this host, made by `unshare` alone. A
 * machine has processes, a host name and a /mnt of its own; the network and all other files are the host's.
 *
 *     GRIGRI_PROVIDERS=examples/provider/provider.ts grigri bootstrap unshare
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  agentCommand,
  createLocks,
  machineTag,
  notValid,
  ProviderError,
  readJson,
  tagKeys,
  validateConfig,
  writeJson,
  type AttributeSchema,
  type Environ,
  type Hardware,
  type Instance,
  type OpenParams,
  type Provider,
  type StartParams,
  type StartResult,
} from 'grigri/provider';

/* Attributes that the provider describes itself with. */

const config: AttributeSchema = {
  nice: { type: 'int', description: 'Nice value of the processes of machines', default: 0, min: 0, max: 19 },
};

const boilerplate = `# Machines are namespaces of this host.
clouds:
  my-unshare:
    type: unshare
    auth-types: [empty]
    regions: {localhost: {}}
    # nice: nice value of the processes of machines, 0 to 19.
    config: {nice: 0}
`;

export const unshare: Provider = {
  type: 'unshare',
  description: 'Machines as namespaces of this host.',
  authTypes: { empty: {} },
  config,
  builtinCloud: { name: 'unshare', description: 'Namespaces of this host', regions: ['localhost'] },
  controllerOn: 'this host',
  firewallModes: ['none'],
  prepareForBootstrap: (settings) => Promise.resolve(settings),
  prepareForModel: (settings) => Promise.resolve(settings),
  validate: (settings, previous) => validateConfig(config, settings, previous),
  boilerplate: () => boilerplate,
  open: openEnviron,
};
export default unshare;

/* Record of a machine: written before the machine is made, removed after it is gone. */

interface Machine {
  readonly id: string;
  readonly controllerUuid: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Calls about the same machine run one at a time. */
const locks = createLocks();

const arch = { x64: 'amd64' }[process.arch as string] ?? process.arch;
const hardware: Hardware = {
  arch,
  cores: availableParallelism(),
  mem: Math.floor(totalmem() / 2 ** 20),
};

function openEnviron(params: OpenParams): Environ {
  const { stateDir, controllerUuid, modelUuid } = params;
  const model = join(stateDir, modelUuid);
  const folderOf = (id: string): string => join(model, id);

  /** Finds a machine by its id. Undefined also for another controller's machine, and for a text that is no id. */
  async function find(id: string): Promise<Machine | undefined> {
    if (!/^juju-[0-9a-f]{6}-[0-9a-z-]+$/.test(id)) return undefined;
    const machine = await readJson<Machine>(join(folderOf(id), 'machine.json'));
    return machine?.controllerUuid === controllerUuid ? machine : undefined;
  }

  function ids(): Promise<string[]> {
    return readdir(model).catch(() => []);
  }

  async function start(start: StartParams, signal: AbortSignal): Promise<StartResult> {
    const id = `juju-${modelUuid.slice(-6)}-${start.machineId.replaceAll('/', '-')}`;
    return await locks(folderOf(id), async () => {
      signal.throwIfAborted();
      const problem = problemWith(start);
      if (problem !== undefined) throw new ProviderError('bad request', problem);
      const existing = await find(id);
      const isKnown = existing?.tags[tagKeys.nonce] === start.nonce;
      if (!isKnown && start.existing) throw new ProviderError('transient', `instance ${id} no longer exists`);
      // The existing machine is of an earlier attempt, which the controller has given up.
      if (existing && !isKnown) await remove(id);
      const machine = isKnown ? existing : await prepare(id, start);
      try {
        signal.throwIfAborted();
        start.progress('starting the machine');
        await run(machine, start, signal);
        signal.throwIfAborted();
      } catch (error) {
        if (!isKnown) await remove(id);
        throw error;
      }
      return { instance: await snapshot(machine), hardware };
    });
  }

  /**
   * Writes the machine's record, durable before anything runs: whatever happens from now on, `list` shows the machine.
   */
  async function prepare(id: string, start: StartParams): Promise<Machine> {
    const folder = folderOf(id);
    const agent = join(folder, 'data/agents', machineTag(start.machineId));
    await mkdir(agent, { recursive: true, mode: 0o700 });
    await writeFile(join(agent, 'agent.conf'), start.agent.agentConf, { mode: 0o600 });
    const tags = {
      ...start.tags,
      [tagKeys.model]: modelUuid,
      [tagKeys.controller]: controllerUuid,
      [tagKeys.machine]: start.machineId,
      [tagKeys.nonce]: start.nonce,
    };
    await writeFile(join(folder, 'lock'), '');
    const machine = { id, controllerUuid, tags };
    await writeJson(join(folder, 'machine.json'), machine);
    return machine;
  }

  /** Makes the machine run, unless it does already. */
  async function run({ id }: Machine, start: StartParams, signal: AbortSignal): Promise<void> {
    const folder = folderOf(id);
    if ((await pidOf(folder)) !== undefined) return;
    const { toolsDir } = start.agent;
    const agent = [...agentCommand(start.machineId, toolsDir, '/mnt/data'), '--run-dir', '/mnt/run'];
    const log = await open(join(folder, 'log'), 'a', 0o600);
    const nice = String(Number(params.config['nice'] ?? 0));
    const startProcess = (): ChildProcess => {
      const child = spawn('sh', ['-c', machineScript, id, nice, ...agent], {
        cwd: folder,
        env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', HOME: '/root' },
        // The machine's process outlives the controller.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      });
      child.unref();
      return child;
    };
    let child = startProcess();
    try {
      for (let tries = 0; (await pidOf(folder)) === undefined; tries++) {
        if (tries === 1000) throw new ProviderError('transient', `machine ${start.machineId} did not start`);
        // Processes of an earlier run still held the lock while they ended.
        if (child.exitCode !== null) child = startProcess();
        await params.clock.sleep(10, signal);
      }
    } catch (error) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        end(child.pid);
        await once(child, 'exit');
      }
      throw error;
    } finally {
      await log.close();
    }
  }

  async function remove(id: string): Promise<void> {
    const folder = folderOf(id);
    for (let tries = 0; existsSync(folder); tries++) {
      if (tries === 300) throw new ProviderError('transient', `machine ${id} did not stop`);
      // A start that a killed controller began may hold the lock already, and write its pid only soon.
      const pid = await pidOf(folder);
      if (pid !== undefined) end(pid);
      // Every process of the machine holds the lock: the process that gets it is alone, and no start can begin
      // meanwhile.
      await execute('flock', '--wait=0.1', '--conflict-exit-code=0', join(folder, 'lock'), 'rm', '-rf', folder);
    }
  }

  async function snapshot({ id, tags }: Machine): Promise<Instance> {
    return {
      id,
      displayName: id,
      status: (await pidOf(folderOf(id))) === undefined ? 'stopped' : 'running',
      message: '',
      addresses: [{ value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' }],
      tags,
      isolation: 'namespaces of processes and mounts',
    };
  }

  function get(instanceIds: readonly string[]): Promise<(Instance | undefined)[]> {
    return Promise.all(
      instanceIds.map(async (id) => {
        const machine = await find(id);
        return machine && (await snapshot(machine));
      }),
    );
  }

  async function list(): Promise<Instance[]> {
    return (await get(await ids())).filter((instance) => instance !== undefined);
  }

  async function stop(instanceIds: readonly string[], signal: AbortSignal): Promise<void> {
    for (const id of new Set(instanceIds)) {
      signal.throwIfAborted();
      await locks(folderOf(id), async () => {
        if (await find(id)) await remove(id);
      });
    }
  }

  /** Returns an environment for each model of the controller that has machines. */
  async function everyModel(): Promise<Environ[]> {
    const models = await readdir(stateDir).catch(() => []);
    return models.map((uuid) => openEnviron({ ...params, modelUuid: uuid }));
  }

  return {
    instances: {
      start,
      stop,
      list,
      get,
      async controllers(signal) {
        const lists = await Promise.all((await everyModel()).map((environ) => environ.instances.list(signal)));
        return lists.flat().filter(({ tags }) => tags[tagKeys.isController] === 'true');
      },
    },
    constraints: {
      unsupported: ['container', 'cores', 'cpu-power', 'mem', 'root-disk', 'zones', 'virt-type'],
      conflicts: [],
      vocabulary: { arch: [arch] },
    },
    async precheck(request) {
      const problem = problemWith(request);
      if (problem !== undefined) throw notValid(problem);
    },
    firewall: { mode: 'none' },
    async enter(id) {
      const pid = await pidOf(folderOf(id));
      if (pid === undefined) throw new ProviderError('transient', `instance ${id} is not running`);
      const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ');
      return ['nsenter', '--target', child!, '--mount', '--uts', '--pid'];
    },
    create: () => Promise.resolve(),
    async destroyModel(signal) {
      await stop(await ids(), signal);
      // The folder is not empty while another controller has machines there.
      await rmdir(model).catch(() => undefined);
    },
    async destroyController(signal) {
      for (const environ of await everyModel()) await environ.destroyModel(signal);
    },
  };
}

/** Returns why a start will never be possible. */
function problemWith({
  placement,
  constraints,
}: Pick<StartParams, 'placement' | 'constraints'>): string | undefined {
  if (placement) return `unknown placement directive: ${placement}`;
  if (constraints.arch && constraints.arch !== arch) return `this host is ${arch}, not ${constraints.arch}`;
  return undefined;
}

/**
 * Script that runs in the machine's folder, with the machine's id as $0: nice, then the agent's command. The process
 * that has the lock is the machine, so two scripts at once are one machine; when the lock's file is missing, the
 * machine was removed. The pid, which this shell keeps as unshare, is written before anything else.
 */
const machineScript = `set -e
nice=$1
shift
exec 9<lock
flock --nonblock 9
echo $$ >pid
exec nice -n "$nice" unshare --mount --uts --pid --fork --kill-child --mount-proc sh -c '
  hostname "$0"
  mount --bind . /mnt
  mkdir -p /mnt/run
  cd /
  while :; do "$@"; sleep 1; done' "$0" "$@"
`;

/** Returns the pid of the process whose end ends the machine; undefined when that process does not run. */
async function pidOf(folder: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => ''));
  if (!(pid > 0)) return undefined;
  // The pid may be another process's by now.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(folder.slice(folder.lastIndexOf('/') + 1)) ? pid : undefined;
}

/**
 * Kills a process and all that it has begun: for a moment before the child of unshare asks to be killed with it, that
 * child would live on.
 */
function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the process has ended.
  }
}

function execute(program: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let errorOutput = '';
    child.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(new ProviderError('transient', errorOutput.trim() || `${program}: exit code ${code}`)),
    );
  });
}
