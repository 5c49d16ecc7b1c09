import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { hasCode, JujuError } from '../core/errors.ts';
import { errorText } from '../kit/system-error.ts';
import type { BackupDownload } from '../client/backups.ts';
import type { ModelSession } from '../operate/sessions.ts';
import type { CommandContext } from './context.ts';

/** Opens the model that backups are made in: the model of -m, or that of the current controller itself. */
export async function openControllerModel(context: CommandContext, model: string): Promise<ModelSession> {
  if (model !== '') return context.openModel(model);
  const { controller } = await context.openController();
  return context.openModel(`${controller}:admin/controller`);
}

/**
 * Checks that a backup can be written to the file, before the controller makes the backup or gives it away. Errors:
 * plain Error.
 */
export async function checkDestination(context: CommandContext, file: string): Promise<void> {
  const path = resolve(context.io.cwd, file);
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Error(`cannot write ${file}: ${errorText(error)}`, { cause: error });
  }
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new Error(`cannot write ${file}: is a directory`);
}

/**
 * Downloads a backup to a file of this host; then it is removed from the controller, unless its schedule keeps it.
 * Errors: those of the download, with the command that fetches the backup where it stays on the controller.
 */
export async function downloadTo(
  context: CommandContext,
  session: ModelSession,
  { id, file }: Pick<BackupDownload, 'file' | 'id'>,
): Promise<void> {
  const { io } = context;
  const backup = {
    addresses: session.details['api-endpoints'],
    caCert: session.details['ca-cert'],
    login: session.login,
    modelUuid: session.modelUuid,
    id,
    signal: io.signal,
  };
  const download = io.downloadBackup({ ...backup, file: resolve(io.cwd, file) });
  const named = `-m ${session.controller}:${session.model} ${basename(id)}`;
  await context.progress('Downloading the backup', download).catch((cause: unknown) => {
    const isAnswer = cause instanceof JujuError && cause.code !== '' && cause.code !== 'try again';
    if (isAnswer || io.signal.aborted) throw cause;
    const again = `${io.program} download-backup --filename FILE ${named}`;
    throw new Error(
      `${errorText(cause)}\nThe backup is still on the controller; this downloads it: ${again}`,
      { cause },
    );
  });
  await io.receivedBackup(backup).catch((error: unknown) => {
    // Controllers that know no acknowledgement have removed it.
    if (hasCode(error, 'not found') || hasCode(error, 'method not allowed')) return;
    context.warning(`backup ${basename(id)} stays on the controller, too: ${errorText(error)}`);
  });
}
