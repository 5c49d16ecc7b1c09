import { randomUUID } from 'node:crypto';
import { facades } from '../../controller/facades/index.ts';
import { createPresence } from '../../controller/server/presence.ts';
import { createRegistry } from '../../controller/server/registry.ts';
import { startServer, type Server } from '../../controller/server/start-server.ts';
import type { Services } from '../../controller/services.ts';
import { createDispatch } from '../../controller/watchers/dispatch.ts';
import { startModelWorkers } from '../../controller/workers/model-workers.ts';
import { indexes, type Entities } from '../../core/entities.ts';
import { systemClock } from '../../kit/clock.ts';
import { hostPort } from '../../kit/host-port.ts';
import { createLog, type LogRecord } from '../../kit/log.ts';
import type { Provider } from '../../providers/provider.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { openFileLogs } from '../../store/files/open-file-logs.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { dataPaths, readSettings } from './data-dir.ts';
import { createEnvirons } from './environs.ts';
import { hostAddresses } from './host.ts';

/** What clients are told: they check the major number, and that it parses (wire-facts §2.3). */
const jujuVersion = '3.6.28';

export interface RunningController {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly server: Server;
  /** Ends workers, connections, store; machines keep running. */
  stop(): Promise<void>;
}

/** Opens a controller's data directory and serves it. Errors: when there is none, or another process has it. */
export async function serveController(options: {
  dataDir: string;
  providers: ReadonlyMap<string, Provider>;
  onLog: (record: LogRecord) => void;
  /** Checks every result against its schema. */
  validate: boolean;
}): Promise<RunningController> {
  const { dataDir, providers } = options;
  const settings = readSettings(dataDir);
  const paths = dataPaths(dataDir);
  const clock = systemClock;
  const store = openSqliteStore<Entities>({
    path: paths.store,
    indexes,
    now: Date.now,
    newUuid: randomUUID,
    onWatcherError: (error) => log.error('a watcher failed', { error }),
  });
  const logs = openFileLogs({ folder: paths.logs });
  const controller = store.read().get('controller', 'self')!;
  const log = createLog(
    'grigri',
    (record) => {
      options.onLog(record);
      const { time, level, module, message } = record;
      const line = { ts: time, tag: 'machine-0', sev: level, mod: module, loc: '', msg: message };
      if (level !== 'TRACE') logs.append(controller.modelUuid, [line]);
    },
    () => clock.now(),
  );
  const dispatch = createDispatch(store, indexes);
  const presence = createPresence();
  const environ = createEnvirons({ store, providers, stateDir: paths.machines, dataDir, clock, log });
  const addresses = hostAddresses().map((address) => hostPort(address, settings.apiPort));
  const services: Services = {
    clock,
    log,
    random: Math.random,
    blobs: openFileBlobs(paths.blobs),
    logs,
    dispatch,
    presence: {
      // The controller's own machine has no other agent than this process.
      isPresent: (model, machine) =>
        (model === controller.modelUuid && machine === '0') || presence.isPresent(model, machine),
      watch: (onChange) => presence.watch(onChange),
    },
    providers,
    environ,
    addresses,
    agentAddresses: async (model) => {
      const own = await environ(model, store.read().in(model)).controllerAddress?.();
      return own === undefined ? addresses : [...new Set([hostPort(own, settings.apiPort), ...addresses])];
    },
    agentKey: Buffer.from(settings.agentKey, 'base64'),
    version: jujuVersion,
    caCert: settings.caCert,
    toolsDir: paths.tools,
  };
  const server = await startServer({
    store,
    services,
    presence,
    facades: createRegistry(facades),
    tls: { certificate: settings.serverCert, key: settings.serverKey },
    port: settings.apiPort,
    validate: options.validate,
  });
  const workers = startModelWorkers({ store, services });
  return {
    store,
    services,
    server,
    async stop() {
      await workers.stop();
      await server.stop();
      dispatch.stop();
      await store.close();
      await logs.close();
    },
  };
}
