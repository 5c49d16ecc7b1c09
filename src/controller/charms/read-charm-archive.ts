import { posix } from 'node:path';
import { charmFiles, parseCharm, type CharmFiles, type ParsedCharm } from '../../core/charm/parse-charm.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { defaultArchiveLimits, openArchive, type Archive, type ArchiveLimits } from '../../kit/archive.ts';
import { checkSchema } from '../../kit/json-schema/check-schema.ts';
import { SchemaWork } from '../../kit/json-schema/work.ts';
import { charmYaml, readYamlValue } from '../../kit/yaml/read.ts';

interface CharmArchive {
  readonly charm: ParsedCharm;
  /** First line of the `version` file; '' without one. */
  readonly version: string;
  /** Number in the `revision` file; 0 without one. */
  readonly revision: number;
  /** Folder in the archive that holds the charm; '' when that is the root. */
  readonly folder: string;
}

const textMaxBytes = limits.yamlBytes.max;

/**
 * Reads the description of the charm archive at `path`, and unpacks the whole archive once without writing it.
 * Errors: `bad request`: not a zip, not a charm, or an archive that would harm whoever unpacks it.
 */
export async function readCharmArchive(
  path: string,
  archiveLimits: ArchiveLimits = defaultArchiveLimits,
): Promise<CharmArchive> {
  const archive = await openArchive(path, archiveLimits);
  try {
    const folder = findFolder(archive);
    const files: Record<string, unknown> = {};
    // The charmcraft.yaml of a packed charm only tells how it was built.
    for (const name of charmFiles.filter((one) => one !== 'charmcraft.yaml')) {
      const text = await readText(archive, posix.join(folder, name));
      if (text !== undefined) files[name] = readFile(text, name);
    }
    const charm = asBadRequest(() => parseCharm(files as CharmFiles));
    checkActions(charm);
    const version = await readText(archive, posix.join(folder, 'version'));
    const revision = await readText(archive, posix.join(folder, 'revision'));
    for (const entry of archive.entries.values()) if (entry.kind === 'file') await archive.verify(entry);
    return {
      charm,
      // Bazaar wrote a word before the version.
      version:
        version
          ?.split('\n')[0]!
          .trim()
          .replace(/^revision-id: /, '') ?? '',
      revision: /^\s*\d{1,9}\s*$/.test(revision ?? '') ? Number(revision) : 0,
      folder,
    };
  } finally {
    archive.close();
  }
}

/** Finds the folder nearest to the root that holds a charm's description. */
function findFolder(archive: Archive): string {
  const [first, second] = [...archive.entries.values()]
    .filter((entry) => entry.kind === 'file' && posix.basename(entry.path) === 'metadata.yaml')
    .map((entry) => posix.dirname(entry.path))
    .sort((a, b) => depth(a) - depth(b));
  if (first === undefined || depth(first) > 1)
    throw new JujuError('bad request', 'charm archive has no metadata.yaml');
  if (second !== undefined && depth(first) === 1 && depth(second) === 1)
    throw new JujuError(
      'bad request',
      `charm archive has more than one metadata.yaml: in ${first} and in ${second}`,
    );
  return first === '.' ? '' : first;
}

const depth = (folder: string): number => (folder === '.' ? 0 : folder.split('/').length);

async function readText(archive: Archive, path: string): Promise<string | undefined> {
  const entry = archive.entries.get(path);
  return entry?.kind === 'file' ? (await archive.read(entry, textMaxBytes)).toString() : undefined;
}

function readFile(text: string, file: string): unknown {
  try {
    return readYamlValue(text, charmYaml);
  } catch (cause) {
    const code = cause instanceof JujuError ? cause.code : 'bad request';
    throw new JujuError(code, `${file}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Checks the charm's actions. Errors: `bad request` for an action whose parameters have no schema of draft 04; `quota
 * limit exceeded`.
 */
export function checkActions({ actions }: ParsedCharm): void {
  const work = new SchemaWork();
  for (const [name, { params }] of Object.entries(actions)) {
    try {
      checkSchema(params, work);
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      const code = error.code === 'not valid' ? 'bad request' : error.code;
      throw new JujuError(code, `invalid params schema for action schema ${name}: ${error.message}`, {
        cause: error,
      });
    }
  }
}

function asBadRequest<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    if (error instanceof JujuError) throw new JujuError('bad request', error.message, { cause: error });
    throw error;
  }
}
