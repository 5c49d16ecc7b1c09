import { constants } from 'node:fs';
import { access, lstat, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { invalidBackup, isBackupName } from '../core/controller/backup.ts';
import { hasCode, JujuError } from '../core/errors.ts';
import { errorText } from '../kit/system-error.ts';
import { loginOptions } from '../operate/login-options.ts';
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
 * Downloads a backup to a file of this host, and returns the file's name; then it is removed from the controller,
 * unless its schedule keeps it. `filename`: '' = a new file with the archive's name, or one like it. Errors: those of
 * the download, with the command that fetches the backup where it stays on the controller.
 */
export async function downloadTo(
  context: CommandContext,
  session: ModelSession,
  { id, filename }: { readonly id: string; readonly filename: string },
): Promise<string> {
  const { io } = context;
  const backup = {
    ...loginOptions(session, io.signal),
    modelUuid: session.modelUuid,
    id,
  };
  const download = async (name: string): Promise<string> => {
    await io.downloadBackup({ ...backup, file: resolve(io.cwd, name) });
    return name;
  };
  const downloading = filename === '' ? withNewName(io.cwd, id, download) : download(filename);
  const named = `-m ${session.controller}:${session.model} ${basename(id)}`;
  const file = await context.progress('Downloading the backup', downloading).catch((cause: unknown) => {
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
  return file;
}

/**
 * Calls `download` with the archive's name, or one like it where a file has that or another client downloads to it.
 * Errors: `not valid` for what is no backup's; plain Error when the folder cannot be written.
 */
async function withNewName<T>(cwd: string, id: string, download: (name: string) => Promise<T>): Promise<T> {
  const archive = basename(id);
  if (!isBackupName(archive)) throw invalidBackup(id);
  const end = archive.indexOf('.tar.');
  for (let n = 0; ; n++) {
    const name = n === 0 ? archive : `${archive.slice(0, end)}-${n}${archive.slice(end)}`;
    // A download writes to this file, which is the sign for others that the name is taken.
    const partial = resolve(cwd, `${name}.partial`);
    try {
      await writeFile(partial, '', { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new Error(`cannot write ${name}: ${errorText(error)}`, { cause: error });
    }
    try {
      if (!(await lstat(resolve(cwd, name)).catch(() => undefined))) return await download(name);
    } finally {
      await rm(partial, { force: true });
    }
  }
}
