import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { facades } from '../../controller/facades/index.ts';
import { createRegistry } from '../../controller/server/registry.ts';
import { createPresence } from '../../controller/server/presence.ts';
import { startServer } from '../../controller/server/start-server.ts';
import type { Services } from '../../controller/services.ts';
import { createDispatch } from '../../controller/watchers/dispatch.ts';
import { startModelWorkers } from '../../controller/workers/model-workers.ts';
import { indexes, type Entities } from '../../core/entities.ts';
import { isoTime, systemClock } from '../../kit/clock.ts';
import { createLog, formatRecord, type LogSink } from '../../kit/log.ts';
import { providers } from '../../providers/index.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { openFileLogs } from '../../store/files/open-file-logs.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import { dataPaths, readSettings } from './data-dir.ts';
import { createEnvirons } from './environs.ts';
import { hostAddresses } from './host.ts';
import { hostPort } from './init.ts';
import { installTools } from './install-tools.ts';

/** What clients are told: they check the major number, and that it parses (wire-facts §2.3). */
const jujuVersion = '3.6.28';

/** Serves until SIGTERM or SIGINT. `ready` is written when it serves, with its addresses; `pid` while it lives. */
export async function runController(dataDir: string): Promise<void> {
  const settings = readSettings(dataDir);
  const paths = dataPaths(dataDir);
  await rm(paths.ready, { force: true });
  await writeFile(paths.pid, String(process.pid));
  await mkdir(paths.machines, { recursive: true });
  await installTools(paths.tools);

  const clock = systemClock;
  const store = openSqliteStore<Entities>({ path: paths.store, indexes, now: Date.now, newUuid: randomUUID });
  const logs = openFileLogs({ folder: paths.logs });
  const controller = store.read().get('controller', 'self')!;
  const sink: LogSink = (record) => {
    console.error(formatRecord(record));
    if (record.level === 'TRACE') return;
    const { time, level, module, message } = record;
    logs.append(controller.modelUuid, [
      { ts: time, tag: 'machine-0', sev: level, mod: module, loc: '', msg: message },
    ]);
  };
  const log = createLog('grigri', sink, () => clock.now());
  const dispatch = createDispatch(store, indexes);
  const presence = createPresence();
  const environs = createEnvirons({ store, providers, stateDir: paths.machines, clock, log });
  const addresses = hostAddresses().map((address) => hostPort(address, settings.apiPort));
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const services: Services = {
    clock,
    log,
    random: Math.random,
    blobs: openFileBlobs(paths.blobs),
    logs,
    dispatch,
    presence: {
      ...presence,
      // The controller's own machine has no other agent than this process.
      isPresent: (model, machine) =>
        (model === controller.modelUuid && machine === '0') || presence.isPresent(model, machine),
    },
    providers,
    environ: environs,
    addresses,
    agentAddresses: async (model) => {
      const own = await environs(model, store.read().in(model)).controllerAddress?.();
      return own === undefined ? addresses : [...new Set([hostPort(own, settings.apiPort), ...addresses])];
    },
    agentKey: Buffer.from(settings.agentKey, 'base64'),
    version: jujuVersion,
    caCert: settings.caCert,
    toolsDir: paths.tools,
    shutdown: () => stop(),
  };
  const server = await startServer({
    store,
    services,
    presence,
    facades: createRegistry(facades),
    tls: { certificate: settings.serverCert, key: settings.serverKey },
    port: settings.apiPort,
    validate: process.env['GRIGRI_VALIDATE'] === '1',
  });
  const workers = startModelWorkers({ store, services });
  process.once('SIGTERM', () => stop());
  process.once('SIGINT', () => stop());
  await writeFile(paths.ready, JSON.stringify({ addresses, at: isoTime(clock) }));
  log.info('controller serves', { port: settings.apiPort, pid: process.pid });

  await stopped;
  log.info('controller stops');
  await workers.stop();
  await server.stop();
  dispatch.stop();
  await store.close();
  await logs.close();
  await rm(paths.ready, { force: true });
  await rm(paths.pid, { force: true });
}
