/** What the tests of providers on this host need beside the kit's worlds: a runtime, and a look for what they left. */
import { execFileSync } from 'node:child_process';
import { constants, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProviderWorld, type ProviderWorld } from './conformance/world.ts';
import type { Look } from './conformance/subject.ts';
import type { StartParams } from './provider.ts';
import { probeCapabilities, type Capabilities } from './local/capabilities.ts';
import { bridgeName } from './local/network.ts';
import { hostEnv } from './local/run.ts';

export { abortAtCheck } from './conformance/world.ts';

export interface World extends ProviderWorld {
  /** What is left on the host of anything this world made: empty after `end`. */
  leftovers(): string[];
}

export function createWorld(): World {
  const world = createProviderWorld();
  // This runtime, for what tests run in a machine: where the clone is, a machine may see nothing.
  copyFileSync(process.execPath, join(world.toolsDir, 'runtime'), constants.COPYFILE_FICLONE);
  return { ...world, leftovers: () => leftovers(world.look('everything')) };
}

/** What is left on the host of a world's machines; while their models are there, so are those's bridges. */
export function leftovers({ after, folder, modelUuids }: Look): string[] {
  const left = [...modelUuids.flatMap(leftOf), ...processesWith(folder)];
  return after === 'everything' ? left : left.filter((line) => !/gri-|nft/.test(line));
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

export function startParams(world: World, machineId: string, params?: Partial<StartParams>): StartParams {
  return world.startParams(machineId, params);
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
