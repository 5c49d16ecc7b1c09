import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { readYamlValue } from '../../kit/read-yaml.ts';
import { JujuError } from '../../core/errors.ts';
import { charmFiles, parseCharm, type CharmFiles, type ParsedCharm } from '../../core/charm/parse-charm.ts';

export interface LocalCharm {
  /** A directory, to be zipped, or a zip. */
  readonly kind: 'directory' | 'archive';
  readonly path: string;
  readonly charm: ParsedCharm;
  /** What its `revision` file says, 0 without one. */
  readonly revision: number;
}

/** A description of a megabyte is no description. */
const descriptionMax = 1024 * 1024;

/**
 * Reads a charm from a directory or a `.charm` file and checks what the client can check. Errors: JujuError that
 * names the file and what is wrong with it.
 */
export async function readCharm(path: string): Promise<LocalCharm> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new JujuError('not found', `no charm was found at "${path}"`);
  const files = info.isDirectory() ? await readDirectory(path) : await readArchive(path);
  if (!files.has('metadata.yaml') && !files.has('charmcraft.yaml')) {
    throw new JujuError(
      'not valid',
      `"${path}" is not a charm: it has neither metadata.yaml nor charmcraft.yaml`,
    );
  }
  if (!files.has('hooks') && !files.has('dispatch')) {
    throw new JujuError('not valid', `"${path}" is not a charm: it has neither hooks/ nor dispatch`);
  }
  return {
    kind: info.isDirectory() ? 'directory' : 'archive',
    path,
    charm: parseCharm(parseFiles(path, files)),
    revision: Number.parseInt(files.get('revision') ?? '', 10) || 0,
  };
}

/** Names at the top; the content of those that describe the charm, '' of others. */
type TopFiles = ReadonlyMap<string, string>;

async function readDirectory(path: string): Promise<TopFiles> {
  const files = new Map<string, string>();
  for (const name of await readdir(path))
    files.set(name, isRead(name) ? await readFile(join(path, name), 'utf8') : '');
  await checkHooks(path);
  return files;
}

/** A hook that cannot be run would put every unit in error: it is refused before it is sent. */
async function checkHooks(path: string): Promise<void> {
  const files = (await readdir(join(path, 'hooks')).catch(() => []))
    .filter(isHook)
    .map((name) => join('hooks', name));
  for (const file of [...files, 'dispatch']) {
    const info = await stat(join(path, file)).catch(() => undefined);
    if (info?.isFile() && (info.mode & 0o111) === 0) {
      throw new JujuError(
        'not valid',
        `charm "${basename(path)}": ${file} is not executable (chmod +x ${join(path, file)})`,
      );
    }
  }
}

const hookNames = new Set([
  'install',
  'start',
  'stop',
  'remove',
  'config-changed',
  'update-status',
  'upgrade-charm',
  'leader-elected',
  'leader-settings-changed',
]);

function isHook(name: string): boolean {
  return hookNames.has(name) || /-relation-(created|joined|changed|departed|broken)$/.test(name);
}

async function readArchive(path: string): Promise<TopFiles> {
  const zip = await openZip(path);
  const files = new Map<string, string>();
  try {
    for await (const entry of zip.entries) {
      const name = entry.fileName;
      const top = name.split('/')[0]!;
      if (name === top && isRead(name)) files.set(name, await zip.read(entry));
      else if (!files.has(top)) files.set(top, '');
    }
  } catch (error) {
    throw new JujuError('not valid', `"${path}" cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    zip.close();
  }
  return files;
}

function isRead(name: string): boolean {
  return (charmFiles as readonly string[]).includes(name) || name === 'revision';
}

function parseFiles(path: string, files: TopFiles): CharmFiles {
  const parsed: Record<string, unknown> = {};
  for (const name of charmFiles) {
    const content = files.get(name);
    if (content === undefined) continue;
    try {
      parsed[name] = readYamlValue(content, { dialect: 'juju' });
    } catch (error) {
      throw new JujuError('not valid', `${join(path, name)}: ${(error as Error).message.split('\n')[0]}`, {
        cause: error,
      });
    }
  }
  return parsed;
}

async function openZip(path: string) {
  // The default: bundled, the module has no other name.
  const { default: yauzl } = await import('yauzl');
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, file) =>
      error
        ? reject(
            new JujuError('not valid', `"${path}" is not a charm archive: ${error.message}`, {
              cause: error,
            }),
          )
        : resolve(file),
    ),
  );
  return { entries: entriesOf(zip), read: (entry: Entry) => readEntry(zip, entry), close: () => zip.close() };
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  let settle: ((entry: Entry | undefined) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  zip.on('entry', (entry: Entry) => settle?.(entry));
  zip.on('end', () => settle?.(undefined));
  zip.on('error', (error: Error) => fail?.(error));
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      settle = resolve;
      fail = reject;
      zip.readEntry();
    });
    if (!entry) return;
    yield entry;
  }
}

function readEntry(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > descriptionMax) throw new Error(`${entry.fileName} is larger than 1 MiB`);
  return new Promise((resolve, reject) =>
    zip.openReadStream(entry, (error, stream) => {
      if (error) return reject(error);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks).toString()));
    }),
  );
}
