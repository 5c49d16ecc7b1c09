import { AsyncLocalStorage } from 'node:async_hooks';
import { rmSync } from 'node:fs';
import { createSecretKey, randomUUID } from 'node:crypto';
import { Backups } from '../../controller/backups/backups.ts';
import type { OtherControllers } from '../../controller/other-controllers.ts';
import type { PasswordCheck } from '../../controller/password-check.ts';
import { controllerStarted } from '../../controller/transactions/agent/controller-started.ts';
import { keepCertificate } from '../../controller/server/keep-certificate.ts';
import { Forecasts } from '../../controller/forecasts/forecasts.ts';
import { startServer, type Server } from '../../controller/server/start-server.ts';
import type { KeyPair } from '../../controller/certificates.ts';
import type { Services } from '../../controller/services.ts';
import { systemStarted, systemStopped } from '../../core/access/security-events.ts';
import { sizeSetting } from '../../core/controller/config.ts';
import type { Entities } from '../../core/kinds.ts';
import { documents } from '../../core/documents.ts';
import { limits } from '../../core/limits.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import { systemClock, systemNextTurn } from '../../kit/clock.ts';
import { hostPort } from '../../core/host-port.ts';
import { sshHostKeys } from '../../kit/ssh-host-keys.ts';
import { silentLog, type Log, type LogSink } from '../../kit/log.ts';
import { TurnWatch } from '../../kit/turn-watch.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { openFileLogs } from '../../store/files/open-file-logs.ts';
import { reportFiles } from '../../store/files/report-files.ts';
import type { ContentStore } from '../../store/contents.ts';
import { openContents } from '../../store/sqlite/open-contents.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { createAgentBundles } from './agent-bundles.ts';
import { createCommandRunner } from './command-runner.ts';
import { compileEarly } from './compile-early.ts';
import { startArchiver } from './archiver.ts';
import { openAuditLog } from './audit-log.ts';
import { composeController, type ComposedController, type ControllerParts } from './compose.ts';
import { playInThread } from './forecast-thread.ts';
import { noteRestore } from './note-restore.ts';
import { otherControllers } from './other-controllers.ts';
import { dataPaths, readSettings, type ControllerSettings } from './data-dir.ts';
import { controllerHosts } from './host.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { Programs } from '../../controller/programs.ts';
import { makeFolderSync } from '../../kit/make-folder.ts';

export interface RunningController {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly server: Server;
  /** Stops workers, connections and store; machines keep running. */
  stop(): Promise<void>;
}

/** Processor time in milliseconds of one turn above which other requests wait noticeably. */
const slowTurnMs = 200;
/** Agents and other controllers repeat what is refused by the code `try again`. */
const notConfirmed = 'the controller is being upgraded: it accepts no changes yet';
const commitWork = { name: 'commit', by: 'store' };

interface ServeOptions {
  dataDir: string;
  providers: ReadonlyMap<string, Provider>;
  onLog: LogSink;
  /** Checks every result against its schema. */
  validate: boolean;
  /** Bytes of the store's log that opening takes from the disk; default: what a checkpoint needs. */
  logBytes?: number;
  /** Checks of passwords; default: those of createPasswordCheck. */
  passwords?: PasswordCheck;
  /** Names and addresses by which the controller is reached. Default: those of the host. */
  hosts?: readonly string[];
  /** How other controllers are reached. Default: over TLS. */
  elsewhere?: OtherControllers;
  /** Build of the agent that machines are to run; default: they keep theirs. */
  agentBuild?: string;
  programs?: Programs;
  /** Called when the directory is locked against other processes, before anything is served. */
  onOpened?: (builds: ProgramsOfModels) => Promise<void>;
  /** Called when the controller can be read; it begins, and then accepts changes, when that has resolved. */
  confirm?: (port: number, caCert: string, builds: ProgramsOfModels) => Promise<void>;
}

/** Returns the builds that the models' agents are to have. */
type ProgramsOfModels = () => string[];

/** Opens a controller's data directory and serves it. Errors: when there is none, or another process has it. */
export async function serveController(options: ServeOptions): Promise<RunningController> {
  const { dataDir } = options;
  const settings = readSettings(dataDir);
  const paths = dataPaths(dataDir);
  /** Log messages from before the controller exists are dropped. */
  let log: Log = silentLog;
  const turns = watchTurns(() => log);
  /** Until it has begun, the controller accepts no changes but those of its own start. */
  let hasBegun = false;
  const ownStart = new AsyncLocalStorage<true>();
  const store = openStore(options, settings, {
    permit(written) {
      if (!hasBegun && !ownStart.getStore()) throw new JujuError('try again', notConfirmed);
      documents.permit(written);
    },
    nextTurn: (fn) => systemNextTurn(() => turns.run(commitWork, fn)),
    onWatcherError: (error) => log.error('a watcher failed', { error }),
  });
  const builds: ProgramsOfModels = () =>
    [...store.read().in('').list('model')].flatMap(({ program }) => program?.build ?? []);
  await options.onOpened?.(builds);
  const logs = openFileLogs({
    folder: paths.logs,
    bytesMax: () =>
      sizeSetting(store.read().in('').get('controller', 'self')?.config ?? {}, 'model-logs-size'),
  });
  const contents = openContents(paths.contents);
  const audit = openAuditLog(paths.audit, () => log);
  const controller = compose(partsOf(options, { settings, store, contents, logs, turns, audit }));
  log = controller.services.log;
  const keys = sshHostKeys(limits.hostKeys.max);
  const begin = async (): Promise<void> => {
    if (!store.isDamaged)
      await ownStart.run(true, async () => {
        await noteRestore(store, paths.restored);
        await store.change((tx) => controllerStarted(tx, keys, options.programs?.failed), 'controller');
      });
    hasBegun = true;
  };
  if (!options.confirm) await begin();
  const certificates = await keepCertificate({
    authority: { certificate: settings.caCert, key: settings.caKey },
    addresses: () => controllerHosts(settings.reachedBy),
    clock: systemClock,
    log: log.module('grigri.certificate-keeper'),
    random: Math.random,
  });
  const server = await listen(controller, settings, { paths, tls: certificates.first });
  if (options.confirm) {
    await options.confirm(server.port, settings.caCert, builds);
    await begin();
  }
  controller.context.security.note(systemStarted);
  certificates.start((pair) => server.setCertificate(pair));
  // Workers must not run on a damaged store: they would take lost documents for removed ones, and stop instances.
  if (store.isDamaged) log.error('the controller is read-only', { problem: store.problem });
  else controller.startWorkers();
  // Code that only runs at a start is not compiled early.
  compileEarly();
  return {
    store,
    services: controller.services,
    server,
    async stop() {
      controller.context.security.note(systemStopped);
      await certificates.stop();
      await controller.stop(() => server.stop());
      await store.close();
      contents.close();
      await logs.close();
      await audit.close();
    },
  };
}

function listen(
  controller: ComposedController,
  settings: ControllerSettings,
  { paths, tls }: { readonly paths: ReturnType<typeof dataPaths>; readonly tls: KeyPair },
): Promise<Server> {
  const { uuid, name, caCert, apiPort } = settings;
  return startServer({
    created: controller,
    tls,
    port: apiPort,
    commands: createCommandRunner({
      controller: {
        name,
        uuid,
        caCert,
        addresses: [hostPort('127.0.0.1', apiPort), ...controller.services.addresses],
      },
      folder: paths.uploads,
      log: () => controller.services.log.module('grigri.commands'),
    }),
  });
}

function openStore(
  { dataDir, logBytes }: ServeOptions,
  { historyRevisions }: ControllerSettings,
  options: Pick<Parameters<typeof openSqliteStore<Entities>>[0], 'nextTurn' | 'onWatcherError' | 'permit'>,
): Store<Entities> {
  return openSqliteStore<Entities>({
    path: dataPaths(dataDir).store,
    ...defined({ logBytes }),
    ...documents,
    ...(historyRevisions === undefined ? {} : { retention: { revisions: historyRevisions } }),
    now: Date.now,
    newUuid: randomUUID,
    ...options,
  });
}

/** Logs work that blocks other requests. */
function watchTurns(log: () => Log): TurnWatch {
  return new TurnWatch({
    limitMs: slowTurnMs,
    onSlow: ({ name, by, cpuMs, count }) =>
      log().warning('work held up the controller', {
        work: name,
        by,
        processorMs: Math.round(cpuMs),
        count,
      }),
  });
}

/** Creates the real parts of a controller, with the resources opened for it. */
function partsOf(
  { dataDir, providers, onLog, validate, passwords, hosts, elsewhere, agentBuild, programs }: ServeOptions,
  opened: Pick<ControllerParts, 'audit' | 'logs' | 'store'> & {
    readonly contents: ContentStore;
    readonly settings: ControllerSettings;
    readonly turns: TurnWatch;
  },
): ControllerParts {
  const { settings, store, contents, logs, turns, audit } = opened;
  const paths = dataPaths(dataDir);
  const blobs = openFileBlobs(paths.blobs);
  const uploadsDir = emptyFolder(paths.uploads);
  return {
    store,
    contents,
    logs,
    blobs,
    clock: systemClock,
    nextTurn: turns.nextTurn,
    turns,
    random: Math.random,
    onLog,
    providers,
    elsewhere: elsewhere ?? otherControllers,
    hosts: hosts ?? controllerHosts(settings.reachedBy),
    apiPort: settings.apiPort,
    stateDir: paths.machines,
    dataDir,
    agentKey: createSecretKey(settings.agentKey, 'base64'),
    caCert: settings.caCert,
    toolsDir: paths.tools,
    reportFiles: () => reportFiles(paths),
    uploadsDir,
    backups: new Backups({
      store,
      contents,
      blobs,
      uploadsDir,
      clock: systemClock,
      version: jujuVersion,
      startArchiver,
      settings: paths.settings,
      blobsDir: paths.blobs,
      logsDir: paths.logs,
      numbers: paths.backupNumbers,
      folder: paths.backups,
    }),
    forecasts: new Forecasts(playInThread),
    bundles: createAgentBundles({ toolsDir: paths.tools, dir: paths.bundles, runtimesDir: paths.agents }),
    validate,
    ...defined({ audit, passwords, agentBuild, programs }),
  };
}

/** Composes the controller. Errors: the store's problem when too much of a damaged one is lost. */
function compose(parts: ControllerParts): ComposedController {
  try {
    return composeController(parts);
  } catch (cause) {
    throw parts.store.isDamaged ? new Error(parts.store.problem, { cause }) : cause;
  }
}

/** Empties a folder, which only this process uses: the lock on the store covers the data directory. */
function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  makeFolderSync(path, 0o700);
  return path;
}
