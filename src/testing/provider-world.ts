/** Additions to the kit's worlds for tests of providers on this host: a runtime, and a search for leftovers. */
import { execFileSync } from 'node:child_process';
import { constants, copyFileSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn, textOf } from './host-files.ts';
import { createProviderWorld, type ProviderWorld } from '../providers/conformance/world.ts';
import type { Look } from '../providers/conformance/subject.ts';
import type { StartParams } from '../providers/contract/provider.ts';
import { probeCapabilities, type Capabilities } from '../providers/clouds/local/capabilities.ts';
import { bridgeName } from '../providers/clouds/local/network.ts';
import { hostEnv } from '../providers/clouds/local/run.ts';

export { abortAtCheck } from '../providers/conformance/world.ts';

export interface World extends ProviderWorld {
  /** Objects of this world that are left on the host: empty after `end`. */
  leftovers(): string[];
}

export function createWorld(): World {
  const world = createProviderWorld();
  takeRuntime(join(world.toolsDir, 'runtime'));
  return { ...world, leftovers: () => leftovers(world.look('everything')) };
}

/**
 * Gives the tests' programs a copy of this runtime, as a machine may not see the folder of the clone. It is a link to
 * the copy that test/memory-folder.ts made, where there is one: the runtime has more than 100 MB.
 */
function takeRuntime(path: string): void {
  const copy = join(tmpdir(), 'grigri-tests-runtime');
  if (existsSync(copy)) linkSync(copy, path);
  else copyFileSync(process.execPath, path, constants.COPYFILE_FICLONE);
}

/** Returns the leftovers of a world's machines on the host; bridges do not count while their models exist. */
export function leftovers({ after, folder, modelUuids }: Look): string[] {
  const rules = modelUuids.length > 0 && process.getuid?.() === 0 ? nftRules() : '';
  const left = [...modelUuids.flatMap((uuid) => leftOf(uuid, rules)), ...processesWith(folder)];
  return after === 'everything' ? left : left.filter((line) => !/gri-|nft/.test(line));
}

/** Returns the capabilities of this host for the user who runs the tests. */
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

/** Returns a model's leftovers. `rules`: all rules of the host's firewall. */
function leftOf(modelUuid: string, rules: string): string[] {
  const bridge = bridgeName(modelUuid);
  const digits = modelUuid.replaceAll('-', '');
  const interfaces = namesIn('/sys/class/net').filter(
    (name) => name === bridge || name.includes(digits.slice(-10)),
  );
  const netns = namesIn('/run/netns').filter((name) => name.includes(digits.slice(-12)));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(modelUuid) || line.includes(digits.slice(-12)));
  const cgroups = ['', 'memory', 'cpu', 'pids', 'freezer', 'systemd', 'unified'].flatMap((tree) =>
    namesIn(join('/sys/fs/cgroup', tree, 'grigri')).filter((name) => name.startsWith(modelUuid)),
  );
  const tables = rules.includes(bridge) ? [`nft table of ${bridge}`] : [];
  return [...interfaces, ...netns, ...mounts, ...cgroups, ...tables];
}

function processesWith(text: string): string[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = textOf(`/proc/${pid}/cmdline`);
      return (command + textOf(`/proc/${pid}/environ`)).includes(text) ? [`process ${pid} ${command}`] : [];
    });
}

function nftRules(): string {
  try {
    return execFileSync('nft', ['list', 'ruleset'], { env: hostEnv(), encoding: 'utf8' });
  } catch {
    return '';
  }
}
