import { rm } from 'node:fs/promises';
import { writeWhole } from '../../providers/toolkit/json-file.ts';
import { formatRecord } from '../../kit/log.ts';
import type { Provider } from '../../providers/contract/provider.ts';
import { dataPaths } from './data-dir.ts';
import { installTools, ownAgentBuild } from './install-tools.ts';
import { ControllerPrograms } from './programs.ts';
import { serveController, type RunningController } from './serve.ts';
import { giveRoom, keepRoom, withRoomNeeded } from './spare-room.ts';
import { makeFolder } from '../../kit/make-folder.ts';
import { shortBuild } from '../../core/machine/program.ts';
import { getLaunched } from '../launch/launched.ts';
import { trialOf, type Trial } from './trial.ts';

/**
 * Serves until SIGTERM or SIGINT, or until another program was chosen, which this process becomes then. The file
 * `ready` contains the addresses and is written when the controller serves; `pid` exists while the process lives.
 */
export async function runController(
  dataDir: string,
  providers: ReadonlyMap<string, Provider>,
): Promise<void> {
  const paths = dataPaths(dataDir);
  let stop = (): void => undefined;
  const stopRequested = new Promise<void>((resolve) => (stop = resolve));
  let isToEnd = false;
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => {
      isToEnd = true;
      stop();
    });

  let isChosen = false;
  const programs = new ControllerPrograms({
    dataDir,
    uploadsDir: paths.uploads,
    onChosen() {
      isChosen = true;
      setTimeout(stop, answerMs);
    },
  });
  const trial = trialOf(dataDir);
  const controller = await start(dataDir, providers, { programs, trial }).catch(async (error: unknown) => {
    const failure = await withRoomNeeded(dataDir, error);
    if (trial) endTrial(trial, failure);
    throw failure;
  });
  const { log } = controller.services;
  await keepRoom(paths.room);
  log.info('controller started', { port: controller.server.port, pid: process.pid });
  const kept = programs.build().then(
    (build) => log.info('the program is kept', { build: shortBuild(build) }),
    (error: unknown) => log.warning('the program is not kept: the controller cannot be upgraded', { error }),
  );

  await stopRequested;
  log.info('controller stopping');
  await controller.stop();
  await kept;
  await rm(paths.ready, { force: true });
  await keepRoom(paths.room);
  // The pid file stays: clients must not start another process meanwhile.
  if (isChosen && !isToEnd) becomeChosen(dataDir);
  await rm(paths.pid, { force: true });
}

/** Time in milliseconds for the answer to whoever asked for an upgrade. */
const answerMs = 200;

/** Makes this process that of the program that was chosen, under whichever supervisor it has. */
function becomeChosen(dataDir: string): void {
  // Node says that the call is experimental, which is nothing for the controller's log.
  process.removeAllListeners('warning');
  const { launcher } = getLaunched()!;
  const args = [process.execPath, launcher, 'run', '--data-dir', dataDir];
  process.execve!(process.execPath, args, process.env as Record<string, string>);
}

/** Ends the process, whose listener may be open: its supervisor starts the program again, or the one before. */
function endTrial(trial: Trial, error: unknown): never {
  trial.fail(error);
  console.error(`ERROR ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function start(
  dataDir: string,
  providers: ReadonlyMap<string, Provider>,
  { programs, trial }: { readonly programs: ControllerPrograms; readonly trial: Trial | undefined },
): Promise<RunningController> {
  const paths = dataPaths(dataDir);
  const controller = await serveController({
    dataDir,
    providers,
    programs,
    agentBuild: await ownAgentBuild(),
    // The directory belongs to this process now, so files of earlier processes are obsolete.
    async onOpened(builds) {
      await rm(paths.ready, { force: true });
      // Freed space lets these small files be written on a full disk, where the store is opened for reading.
      await giveRoom(paths.room);
      await writeWhole(paths.pid, String(process.pid));
      await makeFolder(paths.machines);
      if (!trial) await installTools(paths.tools, builds());
    },
    ...(trial && {
      async confirm(port: number, caCert: string, builds: () => string[]) {
        await trial.confirm(port, caCert);
        await installTools(paths.tools, builds());
      },
    }),
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
