/** Controller on this host, used by the command line. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentPid, controllerPid, instancesOf } from '../src/cli/charm-test/processes.ts';
import { namesIn, textOf } from '../src/testing/host-files.ts';
import { StatusReader } from './read-status.ts';

export const root = join(import.meta.dirname, '..');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface UnitView {
  readonly machine: string;
  readonly workload: string;
  readonly message: string;
  readonly agent: string;
  readonly leader: boolean;
}

/** Command line and status of one model. */
export interface ModelWorld {
  /** Runs the command and returns its output. Rejects when it fails. */
  grigri(...args: string[]): Promise<string>;
  /** Runs the command and returns its result. */
  attempt(...args: string[]): Promise<Ran>;
  /** Returns the model's status. A stopped controller is started. */
  status(): Promise<Status>;
  unit(name: string): Promise<UnitView>;
  /** Waits until the check holds. Errors: on timeout, with the model's state. */
  until(what: string, check: () => Promise<boolean>): Promise<void>;
  untilUnit(name: string, what: Partial<UnitView>): Promise<UnitView>;
  /** Reboots the machine that has this name or unit, and waits until commands run after the boot. */
  reboot(target: string): Promise<void>;
}

/** Controller on this host; members about a model are about the current one, `work`. */
export interface World extends ModelWorld {
  readonly name: string;
  readonly dir: string;
  /** Folder of the controller's files, below `dir`. */
  readonly controllerDir: string;
  /** Runs the command in another folder or model. */
  run(args: readonly string[], where: { readonly cwd?: string; readonly model?: string }): Promise<Ran>;
  /** Adds a model beside `work`, with flags of `add-model`. Returns its UUID. */
  addModel(name: string, ...flags: string[]): Promise<string>;
  inModel(name: string): ModelWorld;
  /** Returns the status of the current model, or of another one. A stopped controller is started. */
  status(model?: string): Promise<Status>;
  /** Returns traces of a model on this host: processes, networks, mounts, limits, files. */
  traces(modelUuid: string): string[];
  /** Repeats the check until it holds or the timeout expires; a check that throws does not hold. */
  within(check: () => Promise<boolean>): Promise<boolean>;
  /** Removes the applications by force and waits until they and their machines are gone. */
  clear(...applications: string[]): Promise<void>;
  /** Writes a charm's directory, with the files' modes changed if `mode` is given. */
  charm(name: string, parts: CharmParts): string;
  /** Returns the controller's pid. Errors: when it does not run. */
  controllerPid(): number;
  killController(): void;
  /** Returns the pid of the machine's agent on the host; `model` is a UUID, '' = any model with such a machine. */
  agentPid(machine: string, model?: string): number | undefined;
  /** Returns the machines that the provider has files of. */
  instances(): string[];
  /** Kills the controller, once, and returns what is left of it on the host. */
  end(): Promise<string[]>;
}

interface CharmParts {
  /** Hooks by their names, as sh scripts without the first line. */
  readonly hooks?: Readonly<Record<string, string>>;
  readonly metadata?: string;
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
}

interface Status {
  readonly model: { readonly 'model-status': { readonly message?: string } };
  readonly machines: Readonly<
    Record<
      string,
      {
        readonly 'instance-id': string;
        readonly 'dns-name'?: string;
        readonly 'juju-status': { readonly current: string };
        readonly 'machine-status': { readonly message?: string };
        readonly base?: { readonly name: string; readonly channel: string };
      }
    >
  >;
  readonly applications: Readonly<
    Record<
      string,
      {
        readonly charm?: string;
        readonly units?: Readonly<Record<string, UnitStatus>>;
      }
    >
  >;
}

interface UnitStatus {
  readonly machine?: string;
  readonly leader?: boolean;
  readonly 'public-address'?: string;
  readonly 'workload-status': { readonly current: string; readonly message?: string };
  readonly 'juju-status': { readonly current: string; readonly message?: string };
  readonly subordinates?: Readonly<Record<string, UnitStatus>>;
}

/** Options for running the command line: as another user, from another clone. */
interface Runner {
  readonly dir: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Bootstraps a controller with the model `work`. The caller ends it in `afterAll`. No command or wait may take longer
 * than `patienceMs`.
 */
export async function startWorld(
  subject: string,
  {
    runner,
    patienceMs = 150_000,
    cloud,
  }: {
    readonly runner?: Runner;
    readonly patienceMs?: number;
    /** Cloud of the controller, and further arguments; default: a process of this host. */
    readonly cloud?: readonly [name: string, ...flags: string[]];
  } = {},
): Promise<World> {
  const name = `${subject}-${process.pid}`;
  const dir = runner?.dir ?? mkdtempSync(join(tmpdir(), `grigri-${subject}-`));
  const [program = '', ...first] = runner?.argv ?? [join(root, 'bin/grigri')];
  const env = { ...process.env, JUJU_DATA: join(dir, 'client'), ...runner?.env };
  const controllerDir = join(dir, 'controller');
  const uuids: string[] = [];
  let ended: Promise<string[]> | undefined;

  const run: World['run'] = (args, { cwd = dir, model }) =>
    new Promise((resolve) => {
      execFile(
        program,
        [...first, ...args],
        {
          env: model === undefined ? env : { ...env, JUJU_MODEL: `${name}:${model}` },
          cwd,
          maxBuffer: 64 * 1024 * 1024,
          timeout: patienceMs,
        },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
    });
  const reader = new StatusReader(env['JUJU_DATA'], name);
  async function status(model?: string): Promise<Status> {
    try {
      return (await reader.read(model)) as Status;
    } catch {
      // The command line is used as a fallback: it starts a stopped controller, and says what is wrong.
      const { code, stdout, stderr } = await run(
        ['status', '--format', 'json'],
        model === undefined ? {} : { model },
      );
      if (code !== 0) throw new Error(`grigri status: exit code ${code}\n${stderr}${stdout}`);
      return JSON.parse(stdout) as Status;
    }
  }

  async function within(check: () => Promise<boolean>, failed?: (error: unknown) => void): Promise<boolean> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(100)) {
      try {
        if (await check()) return true;
      } catch (error) {
        failed?.(error);
      }
    }
    return false;
  }

  function inModel(model?: string): ModelWorld {
    const attempt: ModelWorld['attempt'] = (...args) => run(args, model === undefined ? {} : { model });

    async function grigri(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await attempt(...args);
      if (code !== 0) throw new Error(`grigri ${args.join(' ')}: exit code ${code}\n${stderr}${stdout}`);
      return stdout;
    }

    async function unit(unitName: string): Promise<UnitView> {
      const found = (await status(model)).applications[unitName.split('/')[0]!]?.units?.[unitName];
      if (!found) throw new Error(`there is no unit ${unitName}`);
      return {
        machine: found.machine ?? '',
        workload: found['workload-status'].current,
        message: found['workload-status'].message ?? '',
        agent: found['juju-status'].current,
        leader: found.leader ?? false,
      };
    }

    async function until(what: string, check: () => Promise<boolean>): Promise<void> {
      let last: unknown;
      if (await within(check, (error) => (last = error))) return;
      const { stdout } = await attempt('status');
      const log = await attempt('debug-log', '--replay', '--no-tail');
      throw new Error(`waited in vain for ${what}\n${stdout}\n${log.stdout.slice(-4000)}`, { cause: last });
    }

    return {
      grigri,
      attempt,
      status: () => status(model),
      unit,
      until,
      async untilUnit(unitName, what) {
        let seen: UnitView | undefined;
        const stays = staying();
        await until(`${unitName} to be ${JSON.stringify(what)}`, async () => {
          const now = (seen = await unit(unitName));
          const holds = Object.entries(what).every(([key, value]) => now[key as keyof UnitView] === value);
          return what.agent === 'idle' ? stays(holds) : holds;
        });
        return seen!;
      },
      async reboot(target) {
        const boot = (): Promise<string> => grigri('ssh', target, 'cat /proc/sys/kernel/random/boot_id');
        const before = await boot();
        // The result is ignored: the session ends with the machine.
        await attempt('ssh', target, 'reboot');
        await until(`${target} to have booted again`, async () => (await boot()) !== before);
      },
    };
  }
  const current = inModel();

  const instances = (): string[] =>
    namesIn(join(controllerDir, 'machines')).flatMap((model) =>
      instancesOf(controllerDir, model).map((name) => `${model}/${name}`),
    );

  const world: World = {
    ...current,
    name,
    dir,
    controllerDir,
    run,
    inModel,
    async addModel(model, ...flags) {
      await current.grigri('add-model', model, '--no-switch', ...flags);
      const shown = JSON.parse(await current.grigri('show-model', model, '--format', 'json')) as Record<
        string,
        { readonly 'model-uuid': string }
      >;
      const uuid = shown[model]?.['model-uuid'];
      if (uuid === undefined) throw new Error(`model ${model} was added, and is not there`);
      uuids.push(uuid);
      return uuid;
    },
    status,
    traces: (uuid) => tracesOfModel(controllerDir, uuid),
    within,
    instances,
    async clear(...applications) {
      for (const application of applications)
        await current.grigri('remove-application', application, '--force', '--no-wait', '--no-prompt');
      await current.until('the applications to be gone', async () => {
        const now = await status();
        return Object.keys(now.applications).length + Object.keys(now.machines).length === 0;
      });
      await current.until('the machines to be gone', () => Promise.resolve(instances().length === 0));
    },
    charm(charmName, { hooks = {}, metadata = '', config, files = {} }) {
      const folder = mkdtempSync(join(dir, 'charm-'));
      const write = (path: string, content: string, mode: number): void => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content, { mode });
      };
      write('metadata.yaml', `name: ${charmName}\nsummary: s\ndescription: d\n${metadata}`, 0o644);
      if (config !== undefined) write('config.yaml', config, 0o644);
      mkdirSync(join(folder, 'hooks'), { recursive: true });
      for (const [hook, script] of Object.entries(hooks))
        write(`hooks/${hook}`, `#!/bin/sh\nset -eu\n${script}\n`, 0o755);
      for (const [path, content] of Object.entries(files)) write(path, content, 0o755);
      return folder;
    },
    controllerPid: () => controllerPid(controllerDir),
    killController: () => void process.kill(controllerPid(controllerDir), 'SIGKILL'),
    agentPid: (machine, model) => agentPid(controllerDir, machine, model),
    end: () => (ended ??= end()),
  };

  async function end(): Promise<string[]> {
    await reader.close();
    const killed = await current.attempt('kill-controller', name, '--no-prompt', '--timeout', '30s');
    const left = traces(dir, uuids);
    rmSync(dir, { recursive: true, force: true });
    return killed.code === 0 ? left : [killed.stderr, ...left];
  }

  try {
    // Machines do not refresh package lists over the network, which saves three seconds of processor time for each.
    const still = ['--model-default', 'enable-os-refresh-update=false'];
    const here = ['local', '--data-dir', controllerDir, '--config', 'api-port=0', ...still] as const;
    const [where, ...flags] = cloud ?? here;
    await current.grigri('bootstrap', where, name, ...flags, '--add-model', 'work');
    const models = JSON.parse(await current.grigri('models', '--format', 'json', '--all')) as {
      models: { 'model-uuid': string }[];
    };
    uuids.push(...models.models.map((model) => model['model-uuid']));
    return world;
  } catch (error) {
    await world.end();
    throw error;
  }
}

/**
 * Makes a check that holds when it has held for a while: a unit is idle for a moment between hooks whose causes come
 * one after the other.
 */
export function staying(): (holds: boolean) => boolean {
  let times = 0;
  return (holds) => (times = holds ? times + 1 : 0) >= 5;
}

/** Returns traces of a controller and its models on this host: processes, networks, limits, files. */
function traces(dir: string, uuids: readonly string[]): string[] {
  return [
    ...processesWith(`${dir}/controller`),
    ...kernelTraces(uuids),
    ...readdirSync(dir).filter((name) => name === 'controller'),
  ];
}

/** Returns traces of a model whose controller goes on. */
function tracesOfModel(controllerDir: string, uuid: string): string[] {
  const folder = join(controllerDir, 'machines', uuid);
  const mounts = textOf('/proc/self/mountinfo').split('\n');
  return [
    ...processesWith(folder),
    ...kernelTraces([uuid]),
    ...mounts.filter((line) => line.includes(folder)),
    ...namesIn(folder).map((name) => `file ${join(folder, name)}`),
  ];
}

function processesWith(folder: string): string[] {
  return processes()
    .filter((pid) =>
      ['cmdline', 'environ', 'mountinfo'].some((file) => textOf(`/proc/${pid}/${file}`).includes(folder)),
    )
    .map((pid) => `process ${pid}: ${textOf(`/proc/${pid}/cmdline`)}`);
}

/** Returns bridges, namespaces, firewall tables and control groups of the models. */
function kernelTraces(uuids: readonly string[]): string[] {
  const found: string[] = [];
  const kernel = [
    ['ip', '-o', 'link'],
    ['ip', 'netns', 'list'],
    ['nft', 'list', 'ruleset'],
  ].map(([program, ...args]) => tryRun(program!, args));
  for (const uuid of uuids) {
    const plain = uuid.replaceAll('-', '');
    for (const name of [`gri-${plain.slice(-11)}`, `grigri-${plain.slice(-12)}`, `gv${plain.slice(-10)}`])
      if (kernel.some((text) => text.includes(name))) found.push(`in the kernel: ${name}`);
    const cgroups = tryRun('find', ['/sys/fs/cgroup', '-maxdepth', '4', '-type', 'd', '-name', `${uuid}*`]);
    found.push(...cgroups.split('\n').filter((line) => line !== ''));
  }
  return found;
}

function processes(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

function tryRun(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
