import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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

/** Downloads a backup to a file of this host. */
export async function downloadTo(
  context: CommandContext,
  session: ModelSession,
  { id, file }: Pick<BackupDownload, 'file' | 'id'>,
): Promise<void> {
  await context.progress(
    'Downloading the backup',
    context.io.downloadBackup({
      addresses: session.details['api-endpoints'],
      caCert: session.details['ca-cert'],
      login: session.login,
      modelUuid: session.modelUuid,
      id,
      file: resolve(context.io.cwd, file),
      signal: context.io.signal,
    }),
  );
}
