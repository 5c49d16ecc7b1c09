import { resolve } from 'node:path';
import type { BackupDownload } from '../client/backups.ts';
import type { ModelSession } from '../operate/sessions.ts';
import type { CommandContext } from './context.ts';

/** Opens the model that backups are made in: the one of -m, or that of the current controller itself. */
export async function openControllerModel(context: CommandContext, model: string): Promise<ModelSession> {
  if (model !== '') return context.openModel(model);
  const { controller } = await context.openController();
  return context.openModel(`${controller}:admin/controller`);
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
