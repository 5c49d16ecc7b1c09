/** Creation of root file systems from an archive or from a distribution's packages. */
import { existsSync } from 'node:fs';
import { formatBase, seriesOfBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import { hostAptSources, sourcesOfSuite } from './apt-sources.ts';
import { CommandError } from './run.ts';
import { runLong } from './run-long.ts';
import { defined } from '../../../core/defined.ts';

/** Packages that charms expect, besides apt and the essential ones. */
const packages = [
  'ca-certificates',
  'curl',
  'dbus',
  'gnupg',
  'iproute2',
  'iputils-ping',
  'lsb-release',
  'netbase',
  'perl',
  'procps',
  'python3',
  'python3-yaml',
  'sudo',
  'systemd',
  'systemd-sysv',
];

/**
 * Extracts a tar archive, also compressed, with its owners into an empty folder. Errors: JujuError `not valid`, `not
 * supported`.
 */
export async function extractRoot(archive: string, root: string, signal: AbortSignal): Promise<void> {
  const options = ['--numeric-owner', '--same-owner', '--preserve-permissions', '--xattrs'];
  const capabilities = '--xattrs-include=security.capability';
  try {
    await runLong(['tar', '--extract', '-C', root, ...options, capabilities, '-f', archive], { signal });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const program = /^tar[^:\n]*: (?:\(child\): )?([a-z0-9]+): Cannot exec/m.exec(error.stderr)?.[1];
    if (program !== undefined)
      throw new JujuError(
        'not supported',
        `the archive is compressed with ${program}, which this host lacks: apt-get install ${packageOf[program] ?? program}`,
      );
    throw new JujuError(
      'not valid',
      `tar cannot read the file as an archive: ${error.stderr.split('\n', 2).join('; ')}`,
      { cause: error },
    );
  }
}

/**
 * Builds a root file system with mmdebstrap. Errors: JujuError `not supported`, `not valid`; '' with mmdebstrap's
 * output.
 */
export async function buildRoot(
  base: Base,
  root: string,
  { progress, signal }: { progress: (message: string) => void; signal: AbortSignal },
): Promise<void> {
  const sources = sourcesOf(base);
  const argv = [
    'mmdebstrap',
    '--mode=root',
    '--variant=minbase',
    '--format=directory',
    `--include=${packages.join(',')}`,
    ...(sources.keyring ? [`--keyring=${sources.keyring}`] : []),
    sources.suite,
    root,
    ...sources.lines,
  ];
  try {
    // Namespaces of mounts and processes ensure that its mounts in the folder vanish with it, however it ends.
    await runLong(['unshare', '--mount', '--pid', '--fork', '--kill-child', ...argv], {
      signal,
      onLine: (line) => {
        if (line.startsWith('I: ')) progress(line.slice(3));
      },
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (/mmdebstrap: No such file/.test(error.stderr))
      throw new JujuError(
        'not supported',
        `without an archive ${formatBase(base)} is made with mmdebstrap, which this host lacks: apt-get install mmdebstrap`,
      );
    const errors = error.stderr.split('\n').filter((line) => /^(E:|W:|Err:)/.test(line));
    throw new JujuError(
      '',
      `mmdebstrap could not make ${formatBase(base)}: ${(errors.length > 0 ? errors : [error.stderr]).join('; ')}`,
      { cause: error },
    );
  }
}

const packageOf: Readonly<Record<string, string>> = { xz: 'xz-utils' };
interface Distribution {
  readonly name: string;
  readonly components: readonly string[];
  /** Path of the distribution's keys, when mmdebstrap does not find them by itself. */
  readonly keyring?: string;
}
const distributions: Readonly<Record<string, Distribution>> = {
  debian: { name: 'Debian', components: ['main'] },
  ubuntu: {
    name: 'Ubuntu',
    components: ['main', 'universe'],
    keyring: '/usr/share/keyrings/ubuntu-archive-keyring.gpg',
  },
};

function sourcesOf(base: Base): { suite: string; lines: string[]; keyring?: string } {
  const suite = seriesOfBase(base);
  const distribution = suite === '' ? undefined : distributions[base.name];
  if (!distribution)
    throw new JujuError(
      'not valid',
      `no source of packages is known for ${formatBase(base)}: give an archive of its root file system`,
    );
  const lines = sourcesOfSuite(suite, base.name, distribution.components, hostAptSources());
  if (lines.length === 0)
    throw new JujuError(
      'not supported',
      `without an archive ${formatBase(base)} is made of ${distribution.name}'s packages, and this host's apt knows no mirror of them: add one to /etc/apt/sources.list.d (it may say "Enabled: no"), or give an archive of its root file system`,
    );
  if (distribution.keyring !== undefined && !existsSync(distribution.keyring))
    throw new JujuError(
      'not supported',
      `without an archive ${formatBase(base)} is made of ${distribution.name}'s packages, whose keys are not at ${distribution.keyring}: they are in its package ubuntu-keyring`,
    );
  return { suite, lines, ...defined({ keyring: distribution.keyring }) };
}
