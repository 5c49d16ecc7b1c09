import { createWriteStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { linkLeadsOut } from '../../kit/link-leads-out.ts';
import { splitCharmcraft } from '../../core/charm/split-charmcraft.ts';
import { JujuError } from '../../core/errors.ts';
import { describeCheckout } from './describe-checkout.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import { ignoreRules } from './jujuignore.ts';

/** Modification time of all files, fixed so that the same files always make the same archive. */
const mtime = new Date('2020-01-01T00:00:00Z');
/** Names that are never part of a charm: version control, and leftovers of editors and builds. */
const skippedAnywhere = new Set([
  '.git',
  '.hg',
  '.svn',
  '.bzr',
  '.tox',
  '.venv',
  '__pycache__',
  '.DS_Store',
  '.jujuignore',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
]);
/** Build folders of charmcraft, in the folder of the charm. */
const buildFolders = ['parts', 'prime', 'stage'];

/**
 * Packs a charm with the version of its checkout, as Juju's clients do, and returns that version; '' = no checkout.
 * Errors: those of zipCharm.
 */
export async function packCharm(directory: string, file: string): Promise<string> {
  const version = await describeCheckout(directory);
  await zipCharm(directory, file, version);
  return version;
}

/**
 * Writes a charm's directory into the zip `file`. Modes and symbolic links are kept, hooks become executable, and files
 * that .jujuignore names are left out. The parts of charmcraft.yaml become the files that units read. A `version` that
 * is not empty replaces the file of that name; `except` is the path in the charm of a file to leave out. Errors:
 * JujuError `not valid` for sockets, devices and links that lead out of the charm; Node's for files that cannot be
 * read.
 */
export async function zipCharm(directory: string, file: string, version = '', except = ''): Promise<void> {
  const zip = new ZipFile();
  // Errors of the zip may come at any time: each file is opened in its turn, and may have been removed by then.
  const broken = new AbortController();
  zip.on('error', (error) => broken.abort(error));
  const rules = ignoreRules(await readOptional(directory, '.jujuignore'));
  const isIgnored: Packing['isIgnored'] = (path, kind) => path === except || rules(path, kind);
  const topNames = new Set(await readdir(directory));
  const excludedNames = new Set([
    'build',
    ...(version === '' ? [] : ['version']),
    ...(topNames.has('charmcraft.yaml') ? buildFolders : []),
  ]);
  await addDirectory({ zip, root: directory, isIgnored, excludedNames }, '');
  for (const [name, content] of Object.entries(await generated(directory)))
    if (!topNames.has(name)) zip.addBuffer(Buffer.from(toYaml(content)), name, { mtime, mode: 0o100644 });
  if (version !== '') zip.addBuffer(Buffer.from(version), 'version', { mtime, mode: 0o100644 });
  zip.end();
  try {
    await pipeline(zip.outputStream, createWriteStream(file, { mode: 0o600 }), { signal: broken.signal });
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  }
}

interface Packing {
  readonly zip: ZipFile;
  readonly root: string;
  readonly isIgnored: (path: string, kind: 'folder' | 'file') => boolean;
  /** Names that are left out at the top of the folder. */
  readonly excludedNames: ReadonlySet<string>;
}

/** Returns the files that units read and that the folder has only as parts of its charmcraft.yaml. */
async function generated(directory: string): Promise<Readonly<Record<string, unknown>>> {
  return splitCharmcraft(
    readYamlValue(await readOptional(directory, 'charmcraft.yaml'), { dialect: 'juju' }),
  );
}

/** Returns the file's text; '' when the file does not exist. */
async function readOptional(directory: string, name: string): Promise<string> {
  return readFile(join(directory, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

async function addDirectory(packing: Packing, path: string): Promise<void> {
  const { zip, root } = packing;
  for (const name of (await readdir(join(root, path))).sort()) {
    if (isSkipped(name, path) || (path === '' && packing.excludedNames.has(name))) continue;
    const inside = path ? `${path}/${name}` : name;
    const info = await lstat(join(root, inside));
    if (packing.isIgnored(inside, info.isDirectory() ? 'folder' : 'file')) continue;
    if (info.isDirectory()) {
      zip.addEmptyDirectory(inside, { mtime, mode: 0o40755 });
      await addDirectory(packing, inside);
    } else if (info.isSymbolicLink()) {
      const target = await readlink(join(root, inside));
      if (linkLeadsOut(inside, target))
        throw new JujuError(
          'not valid',
          `${join(root, inside)} links to "${target}", which is not in the charm`,
        );
      zip.addBuffer(Buffer.from(target), inside, { mtime, mode: 0o120777, compress: false });
    } else if (info.isFile()) {
      // Executable files stay executable on the machine; hooks always are.
      zip.addFile(join(root, inside), inside, {
        mtime,
        mode: 0o100000 | (info.mode & 0o111 || path === 'hooks' ? 0o755 : 0o644),
      });
    } else {
      throw new JujuError('not valid', `${join(root, inside)} is neither a file nor a directory`);
    }
  }
}

function isSkipped(name: string, path: string): boolean {
  if (skippedAnywhere.has(name) || name.endsWith('.pyc')) return true;
  return path === '' && name.endsWith('.charm');
}
