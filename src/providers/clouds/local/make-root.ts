/** Creation of root file systems from an archive or from a distribution's packages. */
import { formatBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import { CommandError } from './run.ts';
import { withRootSources } from './root-sources.ts';
import { runLong } from './run-long.ts';

/** Packages that charms expect, besides the essential ones; apt is not essential in every release. */
const packages = [
  'apt',
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
  await withRootSources(base, { progress, signal }, async ({ suite, lines, keyring, mmdebstrap }) => {
    const argv = [
      ...mmdebstrap,
      '--mode=root',
      '--variant=minbase',
      '--format=directory',
      `--include=${packages.join(',')}`,
      ...(keyring === undefined ? [] : [`--keyring=${keyring}`]),
      suite,
      root,
      ...lines,
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
      const errors = error.stderr.split('\n').filter((line) => /^(E:|W:|Err:)/.test(line));
      throw new JujuError(
        '',
        `mmdebstrap could not make ${formatBase(base)}: ${(errors.length > 0 ? errors : [error.stderr]).join('; ')}`,
        { cause: error },
      );
    }
  });
}

const packageOf: Readonly<Record<string, string>> = { xz: 'xz-utils' };
