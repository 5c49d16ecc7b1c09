/** What the providers' tests need: environments with UUIDs and folders of their own, and a look for what they left. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import type { Environ, OpenParams, Provider, StartParams } from './provider.ts';
import { probeCapabilities, type Capabilities } from './local/capabilities.ts';
import { bridgeName } from './local/network.ts';
import { hostEnv } from './local/run.ts';

export interface World {
  readonly folder: string;
  readonly stateDir: string;
  readonly toolsDir: string;
  readonly controllerUuid: string;
  readonly never: AbortSignal;
  /** A model's environment; a new model unless one is named. */
  open(provider: Provider, params?: Partial<OpenParams>): Environ & { readonly modelUuid: string };
  /** Destroys what the controllers of this world made, through the provider, then removes the folder. */
  end(provider: Provider): Promise<void>;
  /** What is left on the host of anything this world made: empty after `end`. */
  leftovers(): string[];
}

/** The agent of tests: says that it starts, then sleeps. */
const agent = `#!/bin/sh
echo "agent $*"
exec sleep 100000
`;

export function createWorld(): World {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-providers-'));
  // Also for tests that go on as another user.
  chmodSync(folder, 0o755);
  const stateDir = join(folder, 'state');
  const toolsDir = join(folder, 'tools');
  mkdirSync(toolsDir);
  writeFileSync(join(toolsDir, 'node'), agent, { mode: 0o755 });
  // This runtime, for what tests run in a machine: where the clone is, a machine may see nothing.
  copyFileSync(process.execPath, join(toolsDir, 'runtime'), constants.COPYFILE_FICLONE);
  const controllers = new Set<string>();
  const models = new Set<string>();
  const controllerUuid = randomUUID();
  const never = new AbortController().signal;
  return {
    folder,
    stateDir,
    toolsDir,
    controllerUuid,
    never,
    open(provider, params = {}) {
      const all: OpenParams = {
        cloud: { name: provider.type, type: provider.type, region: '', endpoint: '', config: {} },
        config: {},
        controllerUuid,
        modelUuid: randomUUID(),
        modelName: 'test',
        stateDir,
        clock: systemClock,
        log: silentLog,
        ...params,
      };
      controllers.add(all.controllerUuid);
      models.add(all.modelUuid);
      return { ...provider.open(all), modelUuid: all.modelUuid };
    },
    async end(provider) {
      for (const uuid of controllers) {
        await this.open(provider, { controllerUuid: uuid }).destroyController(never);
      }
      rmSync(folder, { recursive: true, force: true });
    },
    leftovers: () => [...models].flatMap(leftOf).concat(processesWith(folder)),
  };
}

/** What this host gives to the one who runs the tests. */
export function hostCapabilities(): Capabilities {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-probe-'));
  try {
    return probeCapabilities(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function startParams(world: World, machineId: string, params: Partial<StartParams> = {}): StartParams {
  return {
    machineId,
    nonce: `machine-${machineId}:nonce`,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: {},
    tags: {},
    agent: { toolsDir: world.toolsDir, dataDir: '/var/lib/juju', agentConf: 'tag: test\n', version: '3.6.0' },
    progress: () => undefined,
    ...params,
  };
}

/** A signal that aborts itself when it is looked at for the nth time. */
export function abortAtCheck(n: number): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let checks = 0;
  signal.throwIfAborted = () => {
    if (++checks === n) controller.abort(new Error(`cancelled at check ${n}`));
    AbortSignal.prototype.throwIfAborted.call(signal);
  };
  return signal;
}

function leftOf(modelUuid: string): string[] {
  const bridge = bridgeName(modelUuid);
  const digits = modelUuid.replaceAll('-', '');
  const interfaces = list('/sys/class/net').filter(
    (name) => name === bridge || name.includes(digits.slice(-10)),
  );
  const netns = list('/run/netns').filter((name) => name.includes(digits.slice(-12)));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(modelUuid) || line.includes(digits.slice(-12)));
  const cgroups = ['', 'memory', 'cpu', 'pids', 'freezer', 'systemd', 'unified'].flatMap((tree) =>
    list(join('/sys/fs/cgroup', tree, 'grigri')).filter((name) => name.startsWith(modelUuid)),
  );
  const tables = process.getuid?.() === 0 && nftRules().includes(bridge) ? [`nft table of ${bridge}`] : [];
  return [...interfaces, ...netns, ...mounts, ...cgroups, ...tables];
}

function processesWith(text: string): string[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`);
      return (command + read(`/proc/${pid}/environ`)).includes(text) ? [`process ${pid} ${command}`] : [];
    });
}

function nftRules(): string {
  try {
    return execFileSync('nft', ['list', 'ruleset'], { env: hostEnv(), encoding: 'utf8' });
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
