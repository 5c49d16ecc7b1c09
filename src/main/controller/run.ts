import { rm, writeFile } from 'node:fs/promises';
import { writeWhole } from '../../providers/toolkit/json-file.ts';
import { formatRecord } from '../../kit/log.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { dataPaths } from './data-dir.ts';
import { installTools } from './install-tools.ts';
import { serveController, type RunningController } from './serve.ts';
import { giveRoom, keepRoom, withRoomNeeded } from './spare-room.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/**
 * Serves until SIGTERM or SIGINT. The file `ready` contains the addresses and is written when the controller serves;
 * `pid` exists while the process lives.
 */
export async function runController(
  dataDir: string,
  providers: ReadonlyMap<string, Provider>,
): Promise<void> {
  const paths = dataPaths(dataDir);
  let stop = (): void => undefined;
  const stopRequested = new Promise<void>((resolve) => (stop = resolve));
  process.once('SIGTERM', () => stop());
  process.once('SIGINT', () => stop());

  const controller = await start(dataDir, providers).catch(async (error: unknown) => {
    throw await withRoomNeeded(dataDir, error);
  });
  const { log } = controller.services;
  await keepRoom(paths.room);
  log.info('controller started', { port: controller.server.port, pid: process.pid });

  await stopRequested;
  log.info('controller stopping');
  await controller.stop();
  await rm(paths.ready, { force: true });
  await rm(paths.pid, { force: true });
  await keepRoom(paths.room);
}

async function start(dataDir: string, providers: ReadonlyMap<string, Provider>): Promise<RunningController> {
  const paths = dataPaths(dataDir);
  const controller = await serveController({
    dataDir,
    providers,
    // The directory belongs to this process now, so files of earlier processes are obsolete.
    async onOpened() {
      await rm(paths.ready, { force: true });
      // Freed space lets these small files be written on a full disk, where the store is opened for reading.
      await giveRoom(paths.room);
      await writeFile(paths.pid, String(process.pid));
      await makeFolder(paths.machines);
      await installTools(paths.tools);
    },
    onLog: (record) => {
      // The level TRACE is omitted: every request to a cloud logs at it, for as long as there are machines.
      if (record.level !== 'TRACE') console.error(formatRecord(record));
    },
    validate: process.env['GRIGRI_VALIDATE'] === '1',
  });
  try {
    // The file is written atomically, because the starting process waits for it.
    await writeWhole(paths.ready, JSON.stringify({ addresses: controller.services.addresses }));
  } catch (error) {
    await controller.stop();
    throw error;
  }
  return controller;
}
