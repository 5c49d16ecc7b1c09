/** A controller on this host: its data directory and what the client knows of it; daemon.ts has its process. */
import { spawn } from 'node:child_process';
import { readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fullDisk, smallFiles } from '../kit/full-disk.ts';
import { silentLog } from '../kit/log.ts';
import { parseJson } from '../providers/toolkit/json-file.ts';
import type { Environ } from '../providers/contract/provider.ts';
import type { StoreReported } from '../wire/facades/store-report.ts';
import type { EndResult, InitConfig, InitResult } from '../wire/controller-init.ts';
import { controllerArgv, daemonPid, startDaemon } from './daemon.ts';
import type { ClientStore } from './files/client-store.ts';
import { withLock } from './files/lock.ts';
import type { CliIo } from './io.ts';

/** The part of a command's context that is used here. Contexts start controllers by this file, which does not import them. */
export interface Host {
  readonly io: CliIo;
  store(): Promise<ClientStore>;
  info(line: string): void;
}

/** `/var/lib/grigri/<name>` for root, below the home directory for others. */
export function controllerDataDir(io: CliIo, name: string): string {
  return io.isRoot ? join('/var/lib/grigri', name) : join(io.home, '.local', 'share', 'grigri', name);
}

/** Where the controller that the client knows by this name keeps its data; undefined when it is not on this host. */
export async function findDataDir(host: Host, name: string): Promise<string | undefined> {
  const config = await (await host.store()).bootstrapConfig(name);
  const noted = config?.['controller-config']['data-dir'];
  // One that was bootstrapped elsewhere; of one that nobody here has bootstrapped, nothing is known.
  if (config && noted === undefined) return undefined;
  const dataDir = typeof noted === 'string' ? noted : controllerDataDir(host.io, name);
  return (await exists(dataDir)) ? dataDir : undefined;
}

/**
 * Starts a controller that belongs to this host and does not run, as after a reboot or a crash. False when there is
 * nothing to start. Two clients start it once. Errors: plain Error when it does not come up.
 */
export async function startIfStopped(host: Host, name: string, uuid: string): Promise<boolean> {
  const dataDir = await findDataDir(host, name);
  if (dataDir === undefined || (await controllerUuid(dataDir)) !== uuid) return false;
  const start = (): Promise<boolean> =>
    withStartLock(host, dataDir, async () => {
      // Another client was faster, or it runs and still cannot be reached: one more try tells.
      if ((await daemonPid(dataDir)) !== undefined) return true;
      host.info(`Controller "${name}" does not run: starting it on this host`);
      await startDaemon({ dataDir, signal: host.io.signal });
      return true;
    });
  return withRoom(dataDir, start);
}

/** On a full disk, what the controller keeps free for its start is taken for it. Errors: fullDisk's. */
async function withRoom<T>(dataDir: string, fn: () => Promise<T>): Promise<T> {
  for (let isLast = false; ; isLast = true)
    try {
      return await fn();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      if (isLast) throw await fullDisk(dataDir, smallFiles, error);
      await rm(join(dataDir, 'room'), { force: true });
    }
}

/** Nobody else's client starts the controller meanwhile. */
export function withStartLock<T>(host: Host, dataDir: string, fn: () => Promise<T>): Promise<T> {
  return withLock(join(dataDir, 'start.lock'), host.io.clock, fn);
}

/** Makes the controller's files. Errors: plain Error with what the controller said. */
export async function initController(io: CliIo, dataDir: string, config: InitConfig): Promise<InitResult> {
  return JSON.parse(await runController(['init', '--data-dir', dataDir], config, io.signal)) as InitResult;
}

/**
 * Takes away what the models of a controller that does not run have in their clouds. Errors: plain Error, when its store
 * cannot be read.
 */
export async function endController(io: CliIo, dataDir: string): Promise<EndResult> {
  return JSON.parse(await runController(['end', '--data-dir', dataDir], {}, io.signal)) as EndResult;
}

/** What takes the space of a controller's store that does not run. Errors: plain Error, when it cannot be read. */
export async function reportStore(io: CliIo, dataDir: string): Promise<StoreReported> {
  return JSON.parse(
    await runController(['store-report', '--data-dir', dataDir], {}, io.signal),
  ) as StoreReported;
}

/**
 * Takes damaged rows out of the store of a controller that does not run; returns them, with the revision that each
 * document is at now. Errors: as reportStore.
 */
export async function repairStore(
  io: CliIo,
  dataDir: string,
): Promise<{ copy: string; repairs: readonly { row: string; revision?: number }[] }> {
  const answer = await runController(['store-repair', '--data-dir', dataDir], {}, io.signal);
  return JSON.parse(answer) as Awaited<ReturnType<typeof repairStore>>;
}

/** What it said. Errors: plain Error with what it said was wrong. */
async function runController(
  args: readonly [string, ...string[]],
  input: object,
  signal: AbortSignal,
): Promise<string> {
  const [program, ...first] = controllerArgv();
  const child = spawn(program, [...first, ...args], { stdio: ['pipe', 'pipe', 'pipe'], signal });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
    // A controller that fails before it reads says why on stderr: our broken pipe says less.
    new Promise<void>((resolve) =>
      child.stdin.on('error', () => resolve()).end(JSON.stringify(input), resolve),
    ),
  ]);
  if (code !== 0)
    throw new Error(errorText(stderr) || `the controller could not ${args[0]} (exit code ${code})`);
  return stdout;
}

/** Undefined when the directory holds no controller, or not one of this user's. Errors: as parseJson. */
async function controllerUuid(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, 'controller.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseJson<{ uuid?: string } | null>(path, text)?.uuid;
}

/** The directory goes, and the one of all controllers with the last of them. */
export async function removeDataDir(dataDir: string): Promise<void> {
  // What is behind a symbolic link, not the link alone.
  for (const path of [await realpath(dataDir).catch(() => dataDir), dataDir])
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const all = dirname(dataDir);
  // Not empty: there are others.
  if (basename(all) === 'grigri') await rmdir(all).catch(() => undefined);
}

/** A model's environment, opened from here. Undefined when the provider is not known or the controller elsewhere. */
export async function openEnviron(
  host: Host,
  params: { controller: string; modelUuid: string; modelName: string },
): Promise<Environ | undefined> {
  const dataDir = await findDataDir(host, params.controller);
  const details = (await (await host.store()).controllers())[params.controller];
  if (!dataDir || !details) return undefined;
  const provider = (await host.io.providers()).get(details.type ?? details.cloud);
  return provider?.open({
    cloud: {
      name: details.cloud,
      type: details.type ?? details.cloud,
      region: details.region ?? '',
      endpoint: '',
      config: {},
    },
    config: provider.validate({}),
    controllerUuid: details.uuid,
    modelUuid: params.modelUuid,
    modelName: params.modelName,
    stateDir: join(dataDir, 'machines'),
    clock: host.io.clock,
    log: silentLog,
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function errorText(stderr: string): string {
  return stderr.trim().replace(/^ERROR /, '');
}
