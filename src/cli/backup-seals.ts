/** How commands are told for whom a backup is sealed, and what opens it: never by an argument (backups.md#sealed). */
import { open, stat } from 'node:fs/promises';
import { limits } from '../core/limits.ts';
import {
  recipientOfKey,
  recipientOfPassphrase,
  type Opener,
  type Recipient,
} from '../kit/sealed/recipient.ts';
import { isSealed } from '../kit/sealed/sealed-stream.ts';
import { errorText } from '../kit/system-error.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { bool, text } from './flags.ts';
import { readText } from './key-values.ts';
import { askNewPassword, askPassword } from './users/passwords.ts';

const variable = 'GRIGRI_BACKUP_PASSPHRASE';
/** Least number of characters of a new passphrase. */
const lengthMin = 12;

const passphraseFile = text('--passphrase-file', 'File with the passphrase in its first line', {
  completes: 'file',
});
export const sealFlags = {
  publicKey: text('--public-key', 'Seal the archive for this X25519 key, a file in PEM', {
    completes: 'file',
  }),
  passphrase: bool(
    '--passphrase',
    `Seal the archive with the passphrase of ${variable}, or one that is asked for`,
  ),
  passphraseFile,
};
export const openFlags = {
  privateKey: text('--private-key', 'X25519 key, a file in PEM, for which the archive is sealed', {
    completes: 'file',
  }),
  passphraseFile,
};

/** For whom a new archive is sealed; undefined = it is not. Errors: UsageError, plain Error. */
export async function recipientFor(
  context: CommandContext,
  {
    publicKey,
    passphrase,
    passphraseFile: file,
  }: {
    readonly publicKey: string;
    readonly passphrase: boolean;
    readonly passphraseFile: string;
  },
): Promise<Recipient | undefined> {
  if ([publicKey !== '', passphrase, file !== ''].filter(Boolean).length > 1)
    throw new UsageError('specify one of --public-key, --passphrase and --passphrase-file');
  if (publicKey !== '')
    return ofFile(publicKey, recipientOfKey, await readText(context, publicKey, limits.keyFile));
  if (!passphrase && file === '') return undefined;
  const words = (await givenPassphrase(context, file)) ?? (await askNewPassword(context, prompts));
  if (words.length < lengthMin) throw new Error(`a passphrase has ${lengthMin} characters at least`);
  return recipientOfPassphrase(checked(words));
}

const prompts = { first: 'passphrase of the backup: ', again: 'type it again: ' };

/**
 * What opens the archive, which is asked for where nothing says it; undefined for one that is not sealed. Errors:
 * UsageError; plain Error, also for one that is not sealed where a flag says that it is.
 */
export async function openerFor(
  context: CommandContext,
  archive: string,
  { privateKey, passphraseFile: file }: { readonly privateKey: string; readonly passphraseFile: string },
): Promise<Opener | undefined> {
  if (privateKey !== '' && file !== '')
    throw new UsageError('specify one of --private-key and --passphrase-file');
  const isClosed = await startsSealed(archive);
  const flag = privateKey !== '' ? '--private-key' : file !== '' ? '--passphrase-file' : undefined;
  if (isClosed === false && flag !== undefined)
    throw new Error(
      `${archive} is not sealed, so anybody may have read or changed it: leave out ${flag} to restore it nevertheless`,
    );
  if (!isClosed) return undefined;
  if (privateKey !== '') return { privateKey: await readText(context, privateKey, limits.keyFile) };
  const passphrase = (await givenPassphrase(context, file)) ?? (await askPassword(context, prompts.first));
  if (passphrase === '')
    throw new Error('no passphrase was given, nor the key that it is sealed for: --private-key');
  return { passphrase: checked(passphrase) };
}

async function givenPassphrase(context: CommandContext, file: string): Promise<string | undefined> {
  if (file === '') return context.io.env[variable] || undefined;
  const [line = ''] = (await readText(context, file, limits.keyFile)).split('\n');
  return line.replace(/\r$/, '');
}

function checked(passphrase: string): string {
  const { max } = limits.backupPassphrase;
  if (passphrase.length > max) throw new Error(`a passphrase has ${max} characters at most`);
  return passphrase;
}

function ofFile<T>(file: string, parse: (content: string) => T, content: string): T {
  try {
    return parse(content);
  } catch (cause) {
    throw new Error(`${file}: ${errorText(cause)}`, { cause });
  }
}

/**
 * Whether the file begins as a sealed one; undefined for one that cannot be read, which is told later. Errors: plain
 * Error for what is no file.
 */
async function startsSealed(path: string): Promise<boolean | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory())
    throw new Error(`${path} is a folder: name the archive in it, such as ${path}/juju-backup-….tar.zst`);
  if (found && !found.isFile()) throw new Error(`${path} is no file: name the archive of a backup`);
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16));
    return isSealed(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
