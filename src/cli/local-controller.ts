/** Controller on this host: its data directory and the client's records of it. Its process is in daemon.ts. */
import { spawn } from 'node:child_process';
import { readdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Opener } from '../kit/sealed/recipient.ts';
import { fullDisk, smallFiles } from '../kit/full-disk.ts';
import { silentLog } from '../kit/log.ts';
import { removeExceptLeftBehind } from '../providers/toolkit/left-behind.ts';
import { parseJson } from '../providers/toolkit/json-file.ts';
import type { Environ, Provider } from '../providers/contract/provider.ts';
import type { StoreReported } from '../wire/facades/store-report.ts';
import type { EndResult } from '../wire/controller-init.ts';
import { controllerArgv, daemonPid, startDaemon } from './daemon.ts';
import type { ClientStore } from './files/client-store.ts';
import { withLock } from './files/lock.ts';
import type { CliIo } from './io.ts';
import { servedDirectories } from './serving-processes.ts';

/**
 * Part of a command's context that this file needs. It must not import the context, which uses this file to start
 * controllers.
 */
interface Host {
  readonly io: CliIo;
  store(): Promise<ClientStore>;
  info(line: string): void;
}

/** Returns `/var/lib/grigri/<name>` for root, and a folder below the home directory for other users. */
export function controllerDataDir(io: CliIo, name: string): string {
  return io.isRoot ? join('/var/lib/grigri', name) : join(io.home, '.local', 'share', 'grigri', name);
}

/**
 * Returns the data directory of the controller that the client knows by this name; undefined when it is not on this
 * host.
 */
export async function findDataDir(host: Host, name: string): Promise<string | undefined> {
  const store = await host.store();
  const config = await store.bootstrapConfig(name);
  if (!config) return findByUuid(host.io, name, (await store.controllers())[name]?.uuid);
  const recordedDir = config['controller-config']['data-dir'];
  // A controller with a record but no data directory was bootstrapped elsewhere.
  return typeof recordedDir === 'string' && (await exists(recordedDir)) ? recordedDir : undefined;
}

/**
 * Finds the data directory of a controller that this client has not bootstrapped, or whose record is lost, such as
 * after unregister: where bootstrap makes data directories, and where controllers run. Other controllers may have the
 * same name, so the uuid decides.
 */
async function findByUuid(io: CliIo, name: string, uuid: string | undefined): Promise<string | undefined> {
  if (uuid === undefined) return undefined;
  const usual = controllerDataDir(io, name);
  const isIts = async (dataDir: string): Promise<boolean> =>
    (await controllerUuid(dataDir).catch(() => undefined)) === uuid;
  if (await isIts(usual)) return usual;
  const parent = dirname(usual);
  const siblings = (await readdir(parent).catch(() => [])).map((one) => join(parent, one));
  for (const dataDir of [...siblings, ...(await servedDirectories())])
    if (await isIts(dataDir)) return dataDir;
  return undefined;
}

/**
 * Starts a stopped controller of this host, for example after a reboot or a crash. False when there is nothing to
 * start. Concurrent clients start it only once. Errors: plain Error when it does not start.
 */
export async function startIfStopped(host: Host, name: string, uuid: string): Promise<boolean> {
  const dataDir = await findDataDir(host, name);
  if (dataDir === undefined || (await controllerUuid(dataDir)) !== uuid) return false;
  const start = (): Promise<boolean> =>
    withStartLock(host, dataDir, async () => {
      // The controller runs: another client has started it, or it cannot be reached for another reason, as one more
      // attempt will show.
      if ((await daemonPid(dataDir)) !== undefined) return true;
      host.info(`Controller "${name}" is not running: starting it on this host`);
      await startDaemon({ dataDir, signal: host.io.signal });
      return true;
    });
  return withRoom(dataDir, start);
}

/**
 * Runs `fn`. On a full disk, the space that the controller reserves for its start is freed, and `fn` is run again.
 * Errors: those of fullDisk.
 */
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

/** Runs `fn` while no other client starts the controller. */
export function withStartLock<T>(host: Host, dataDir: string, fn: () => Promise<T>): Promise<T> {
  return withLock(join(dataDir, 'start.lock'), host.io.clock, fn);
}

/**
 * Removes the resources that the models of a stopped controller have in their clouds. Errors: plain Error when its
 * store cannot be read.
 */
export async function endController(io: CliIo, dataDir: string): Promise<EndResult> {
  return JSON.parse(await runController(['end', '--data-dir', dataDir], {}, io.signal)) as EndResult;
}

/**
 * Reports what takes up space in the store of a stopped controller. Errors: plain Error when the store cannot be read.
 */
export async function reportStore(io: CliIo, dataDir: string): Promise<StoreReported> {
  return JSON.parse(
    await runController(['store-report', '--data-dir', dataDir], {}, io.signal),
  ) as StoreReported;
}

/**
 * Removes damaged rows from the store of a stopped controller, and returns them with each document's current revision.
 * Errors: those of reportStore.
 */
export async function repairStore(
  io: CliIo,
  dataDir: string,
): Promise<{ copy: string; repairs: readonly { row: string; revision?: number }[] }> {
  const answer = await runController(['store-repair', '--data-dir', dataDir], {}, io.signal);
  return JSON.parse(answer) as Awaited<ReturnType<typeof repairStore>>;
}

/**
 * Restores a backup into the data directory of a stopped controller. `before`: folder for the previous data. Errors:
 * plain Error when the archive does not fit, or the controller runs.
 */
export async function restoreController(
  io: CliIo,
  dataDir: string,
  request: { readonly archive: string; readonly opener?: Opener; readonly oldDataDir?: string },
): Promise<{ started: string; before?: string }> {
  const answer = await runController(['restore', '--data-dir', dataDir], request, io.signal);
  return JSON.parse(answer) as Awaited<ReturnType<typeof restoreController>>;
}

/** Records that the client's controllers of one directory have another one from now on. */
export async function recordNewDataDir(host: Host, from: string, to: string): Promise<void> {
  const store = await host.store();
  for (const name of Object.keys(await store.controllers())) {
    const config = await store.bootstrapConfig(name);
    const settings = config?.['controller-config'];
    if (config && settings?.['data-dir'] === from)
      await store.setBootstrapConfig(name, {
        ...config,
        'controller-config': { ...settings, 'data-dir': to },
      });
  }
}

/** Runs the controller's program and returns its output. Errors: plain Error with the program's error message. */
async function runController(
  args: readonly [string, ...string[]],
  input: object,
  signal: AbortSignal,
): Promise<string> {
  const [program, ...programArgs] = controllerArgv();
  const child = spawn(program, [...programArgs, ...args], { stdio: ['pipe', 'pipe', 'pipe'], signal });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
    // Errors of stdin are ignored: a controller that fails before it reads gives the reason on stderr.
    new Promise<void>((resolve) =>
      child.stdin.on('error', () => resolve()).end(JSON.stringify(input), resolve),
    ),
  ]);
  if (code !== 0)
    throw new Error(errorText(stderr) || `controller command "${args[0]}" failed (exit code ${code})`);
  return stdout;
}

/**
 * Returns the UUID of the controller in the directory; undefined when there is none, or none that this user may read.
 * Errors: those of parseJson.
 */
async function controllerUuid(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, 'controller.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseJson<{ uuid?: string } | null>(path, text)?.uuid;
}

/**
 * Removes the directory, and with the last controller also the parent directory of all controllers. Returns whether
 * files stay in it for models that moved to other controllers.
 */
export async function removeDataDir(dataDir: string): Promise<boolean> {
  // The target of a symbolic link is removed too, and not only the link.
  if (await removeExceptLeftBehind(await realpath(dataDir).catch(() => dataDir))) return true;
  await rm(dataDir, { recursive: true, force: true });
  const parent = dirname(dataDir);
  // The parent directory stays as long as it contains other controllers.
  if (basename(parent) === 'grigri') await rmdir(parent).catch(() => undefined);
  return false;
}

/**
 * Opens a model's environment from this host. Undefined when the provider is not known or the controller is elsewhere.
 */
export async function openEnviron(
  host: Host,
  params: { controller: string; modelUuid: string; modelName: string },
): Promise<Environ | undefined> {
  const dataDir = await findDataDir(host, params.controller);
  const details = (await (await host.store()).controllers())[params.controller];
  if (!dataDir || !details) return undefined;
  const providers = await host.io.providers();
  const type = details.type || details.cloud;
  // Clients that did not bootstrap the controller do not have its cloud, but the controller is on this host.
  const provider = type ? providers.get(type) : [...providers.values()].find(isOnThisHost);
  return provider?.open({
    cloud: {
      name: details.cloud,
      type: provider.type,
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

function isOnThisHost({ controllerOn }: Provider): boolean {
  return controllerOn === 'this host';
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
