/** Requirements for building a root file system of a distribution: mirrors, keys, and the program that builds it. */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBase, seriesOfBase, type Base } from '../../../core/base.ts';
import { makeTemporaryFolder } from '../../../kit/stale-folders.ts';
import { JujuError } from '../../../core/errors.ts';
import { hostAptSources, sourcesBeside, sourcesOfSuite } from './apt-sources.ts';
import { selectKeys } from './openpgp-keys.ts';
import { run } from './run.ts';
import { runLong } from './run-long.ts';
import { defined } from '../../../core/defined.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

interface Distribution {
  readonly name: string;
  readonly components: readonly string[];
  /**
   * Keys of the distribution, when mmdebstrap does not find them by itself: their file, the package of the distribution
   * that has it, and the fingerprints by which a copy of that package from anywhere is checked.
   */
  readonly keyring?: {
    readonly path: string;
    readonly package: string;
    readonly fingerprints: readonly string[];
  };
}
const distributions: Readonly<Record<string, Distribution>> = {
  debian: { name: 'Debian', components: ['main'] },
  ubuntu: {
    name: 'Ubuntu',
    components: ['main', 'universe'],
    keyring: {
      path: '/usr/share/keyrings/ubuntu-archive-keyring.gpg',
      package: 'ubuntu-keyring',
      // The archive's automatic signing key of 2018.
      fingerprints: ['F6ECB3762474EDA9D21B7022871920D1991BC93C'],
    },
  },
};

interface RootSources {
  readonly suite: string;
  /** One-line sources of apt. */
  readonly lines: readonly string[];
  readonly keyring?: string;
  readonly mmdebstrap: readonly [string, ...string[]];
}

interface Work {
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

const prefix = 'grigri-sources-';

/**
 * Finds the sources, calls `build`, and removes the files fetched for it. Keys and programs that the host lacks are
 * fetched by its apt into a separate folder; nothing is installed on the host. Errors: JujuError `not valid` for a base
 * of unknown packages; `not supported`, which names all that is missing.
 */
export async function withRootSources<T>(
  base: Base,
  work: Work,
  build: (sources: RootSources) => Promise<T>,
): Promise<T> {
  const suite = seriesOfBase(base);
  const distribution = suite === '' ? undefined : distributions[base.name];
  if (!distribution)
    throw new JujuError(
      'not valid',
      `no source of packages is known for ${formatBase(base)}: give an archive of its root file system`,
    );
  const folder = await makeTemporaryFolder(prefix);
  try {
    const lines = await findMirrors(base, suite, distribution, { ...work, folder });
    const tools = await findTools(distribution, lines, { ...work, folder });
    const missing = [
      ...(lines.length === 0
        ? [
            `a mirror of ${distribution.name}: this host's apt knows none, and none is beside the mirrors that it knows; add one to /etc/apt/sources.list.d (it may say "Enabled: no")`,
          ]
        : []),
      ...tools.missing.map((name) => `the package ${name}: apt-get install ${name}`),
    ];
    if (missing.length > 0) throw new JujuError('not supported', sayMissing(base, missing));
    const { mmdebstrap, keyring } = tools;
    return await build({ suite, lines, mmdebstrap, ...defined({ keyring }) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a sentence that names everything that this host lacks, and what to do without it. */
function sayMissing(base: Base, missing: readonly string[]): string {
  const text = formatBase(base);
  return `this host cannot make ${text}; it lacks ${missing.join('; ')}. Or give an archive of its root file system, by the command local-image add ${text} <archive>`;
}

interface InFolder extends Work {
  readonly folder: string;
}

/** Finds sources in the host's apt, otherwise those of a distribution beside the host's own on the same mirror. */
async function findMirrors(
  base: Base,
  suite: string,
  { name, components }: Distribution,
  work: InFolder,
): Promise<string[]> {
  const host = hostAptSources();
  const known = sourcesOfSuite(suite, base.name, components, host);
  if (known.length > 0) return known;
  for (const { uri, pockets } of sourcesBeside(base.name, host)) {
    work.progress(`looking for ${name} at ${uri}`);
    const found: string[] = [];
    for (const pocket of pockets)
      if (await hasSuite(`${uri}/dists/${suite}${pocket}/InRelease`, work))
        found.push(`deb ${uri} ${suite}${pocket} ${components.join(' ')}`);
      else if (pocket === '') break;
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * Whether the mirror has the file, asked by apt with its proxies. The file's signature is checked when the file is
 * used.
 */
async function hasSuite(uri: string, { folder, signal }: InFolder): Promise<boolean> {
  const file = join(folder, 'InRelease');
  try {
    const patience = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=15'];
    await runLong(['/usr/lib/apt/apt-helper', ...patience, 'download-file', uri, file], { signal });
    return existsSync(file);
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    await rm(file, { force: true });
  }
}

interface Tools {
  readonly mmdebstrap: RootSources['mmdebstrap'];
  readonly keyring?: string;
  /** Packages that are neither installed nor available. */
  readonly missing: readonly string[];
}

async function findTools(
  { keyring }: Distribution,
  lines: readonly string[],
  work: InFolder,
): Promise<Tools> {
  const { folder } = work;
  const hasProgram = await run(['mmdebstrap', '--version']).then(
    () => true,
    () => false,
  );
  const hasFetched = !hasProgram && (await fetchPackage('mmdebstrap', [], work));
  const keys = keyring && (existsSync(keyring.path) ? keyring.path : await fetchKeys(keyring, lines, work));
  return {
    mmdebstrap: hasProgram ? ['mmdebstrap'] : ['perl', join(folder, 'files/usr/bin/mmdebstrap')],
    ...defined({ keyring: keys }),
    missing: [
      ...(hasProgram || hasFetched ? [] : ['mmdebstrap']),
      ...(keyring && keys === undefined ? [keyring.package] : []),
    ],
  };
}

/** Fetches the distribution's keys from its own mirror, and keeps those that are known by their fingerprints. */
async function fetchKeys(
  keyring: NonNullable<Distribution['keyring']>,
  lines: readonly string[],
  work: InFolder,
): Promise<string | undefined> {
  const [line] = lines;
  if (line === undefined) return undefined;
  // This source is trusted only as far as the fingerprints match.
  const source = line.replace(/^deb /, 'deb [trusted=yes] ');
  if (!(await fetchPackage(keyring.package, [source], work))) return undefined;
  const keys = await readFile(join(work.folder, 'files', keyring.path)).then(
    (bytes) => selectKeys(bytes, keyring.fingerprints),
    () => Buffer.alloc(0),
  );
  if (keys.length === 0) return undefined;
  const path = join(work.folder, 'keys.gpg');
  await writeFile(path, keys);
  return path;
}

/**
 * Fetches a package from the given sources (none = those of the host), whose signatures apt checks, and unpacks it into
 * `files`. Returns whether there is such a package.
 */
async function fetchPackage(name: string, sources: readonly string[], work: InFolder): Promise<boolean> {
  const { folder, progress, signal } = work;
  const [files, own] = [join(folder, 'files'), join(folder, `for-${name}`)];
  for (const path of [join(own, 'lists/partial'), join(own, 'cache/archives/partial'), files])
    await makeFolder(path);
  const list = join(own, 'sources.list');
  await writeFile(list, sources.map((source) => `${source}\n`).join(''));
  const options = [
    // The lists are the folder's own, so that nothing on the host changes.
    `Dir::State::lists=${own}/lists`,
    `Dir::Cache=${own}/cache`,
    ...(sources.length === 0 ? [] : [`Dir::Etc::sourcelist=${list}`, 'Dir::Etc::sourceparts=-']),
    'APT::Sandbox::User=root',
    'Acquire::Retries=1',
    'Acquire::Languages=none',
  ];
  const apt = ['apt-get', '-q', ...options.flatMap((option) => ['-o', option])] as const;
  try {
    progress(`fetching ${name}`);
    await runLong([...apt, 'update'], { signal });
    await runLong(['sh', '-c', 'cd "$1" && shift && "$@"', 'sh', own, ...apt, 'download', name], { signal });
    const archive = (await readdir(own)).find((file) => file.startsWith(`${name}_`));
    if (archive === undefined) return false;
    await run(['dpkg-deb', '--extract', join(own, archive), files]);
    return true;
  } catch {
    // The caller names what is missing.
    signal.throwIfAborted();
    return false;
  }
}
