/** Checks whether a program of the host runs on the libraries of another root file system. */
import { CommandError } from './run.ts';
import { runLong } from './run-long.ts';

/**
 * Binds the host's program over a program of the root, where no mount point has to be created, and runs it with
 * --version: as nobody, with a time limit, and in mount, pid and network namespaces of its own. The root is not
 * changed.
 */
const script = `mount --make-rprivate /
mount --bind "$1" "$2$3"
exec timeout --signal=KILL 60 setpriv --no-new-privs chroot --userspec=65534:65534 --groups= "$2" "$3" --version`;

/**
 * Runs the program on the root's libraries. `at`: path of a program of the root, without links. Returns the error of
 * the root's loader, e.g. that it finds no `libstdc++.so.6`; undefined when the program runs. Errors: the signal's
 * reason.
 */
export async function tryProgram(
  root: string,
  { program, at }: { program: string; at: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];
  try {
    await runLong(['unshare', ...namespaces, 'sh', '-ec', script, 'sh', program, root, at], { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // The loader prefixes its message with its own path, which is that of the replaced program.
    const said = error.stderr.split('\n').map((line) => line.replace(`${at}: `, '').trim());
    return said.filter(Boolean).join('; ') || 'it does not end';
  }
}
