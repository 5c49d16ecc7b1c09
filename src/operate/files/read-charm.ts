import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { charmYaml, readYamlValue } from '../../kit/yaml/read.ts';
import { charmFiles, parseCharm, type CharmFiles, type ParsedCharm } from '../../core/charm/parse-charm.ts';

export interface LocalCharm {
  /** A directory has to be packed; an archive is a zip file. */
  readonly kind: 'directory' | 'archive';
  readonly path: string;
  readonly charm: ParsedCharm;
  /** The files that describe the charm. */
  readonly files: CharmFiles;
  /** Number in the charm's `revision` file; 0 without that file. */
  readonly revision: number;
}

/**
 * Reads a charm from a directory or a `.charm` file and makes the checks that a client can make. Errors: JujuError that
 * names the file and the problem.
 */
export async function readCharm(path: string): Promise<LocalCharm> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new JujuError('not found', `no charm was found at "${path}"`);
  if (!info.isDirectory() && !info.isFile())
    throw new JujuError('not valid', `"${path}" is not a charm: it is neither a file nor a folder`);
  const files = info.isDirectory() ? await readDirectory(path) : await readArchive(path);
  // The charmcraft.yaml in a packed charm describes only its build.
  if (!files.has('metadata.yaml') && !(info.isDirectory() && files.has('charmcraft.yaml'))) {
    const missing = info.isDirectory() ? 'neither metadata.yaml nor charmcraft.yaml' : 'no metadata.yaml';
    throw new JujuError('not valid', `"${path}" is not a charm: it has ${missing}`);
  }
  if (!files.has('hooks') && !files.has('dispatch')) {
    const hint = files.has('charmcraft.yaml')
      ? '; its charmcraft.yaml says how it is built: charmcraft pack'
      : '';
    throw new JujuError('not valid', `"${path}" is not a charm: it has neither hooks/ nor dispatch${hint}`);
  }
  const parsed = parseFiles(path, files);
  return {
    kind: info.isDirectory() ? 'directory' : 'archive',
    path,
    charm: checkedCharm(path, parsed),
    files: parsed,
    revision: Number.parseInt(files.get('revision') ?? '', 10) || 0,
  };
}

/** Names of the files at the top. Files that describe the charm have their content, the others ''. */
type TopFiles = ReadonlyMap<string, string>;

async function readDirectory(path: string): Promise<TopFiles> {
  const files = new Map<string, string>();
  for (const name of await readdir(path))
    files.set(name, isRead(name) ? await readRegular(join(path, name)) : '');
  await checkDispatch(path);
  return files;
}

/** Reads a file of a charm. Errors: `not valid` for what no archive of a charm can have, such as a pipe. */
async function readRegular(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new JujuError('not valid', `${path} is not a file`);
  return readFile(path, 'utf8');
}

/**
 * Checks that dispatch is executable, because every unit would fail without that. Hooks need no check: packing makes
 * them executable.
 */
async function checkDispatch(path: string): Promise<void> {
  const info = await stat(join(path, 'dispatch')).catch(() => undefined);
  if (info?.isFile() && (info.mode & 0o111) === 0) {
    throw new JujuError(
      'not valid',
      `charm "${basename(path)}": dispatch is not executable (chmod +x ${join(path, 'dispatch')})`,
    );
  }
}

async function readArchive(path: string): Promise<TopFiles> {
  // The dynamic import keeps the module out of commands that open no archive.
  const { openArchive } = await import('../../kit/archive.ts');
  try {
    const archive = await openArchive(path);
    try {
      const files = new Map<string, string>();
      for (const entry of archive.entries.values()) {
        const top = entry.path.split('/', 1)[0]!;
        const isDescription = entry.path === top && isRead(top) && top !== 'charmcraft.yaml';
        const text = isDescription ? (await archive.read(entry, limits.yamlBytes.max)).toString() : '';
        if (isDescription || !files.has(top)) files.set(top, text);
      }
      return files;
    } finally {
      archive.close();
    }
  } catch (error) {
    throw new JujuError(
      'not valid',
      `"${path}" is not a charm archive, and no folder of a charm: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function isRead(name: string): boolean {
  return (charmFiles as readonly string[]).includes(name) || name === 'revision';
}

function parseFiles(path: string, files: TopFiles): CharmFiles {
  const parsed: Record<string, unknown> = {};
  for (const name of charmFiles) {
    const content = files.get(name);
    if (!content) continue;
    try {
      parsed[name] = readYamlValue(content, charmYaml);
    } catch (error) {
      throw new JujuError('not valid', `${join(path, name)}: ${(error as Error).message.split('\n')[0]}`, {
        cause: error,
      });
    }
  }
  return parsed;
}

/** Parses the files that describe a charm. Errors: those of `parseCharm`, which name the charm's path. */
function checkedCharm(path: string, files: CharmFiles): ParsedCharm {
  try {
    return parseCharm(files);
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}
