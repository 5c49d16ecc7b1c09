/** Whether a program of the host runs on the libraries of another root file system. */
import { CommandError } from './run.ts';
import { runLong } from './run-long.ts';

/**
 * Binds it over a program of the root, where no mount point has to be made, and asks for its version: in mounts,
 * processes and a network that go with it, as nobody, and not for ever. The root is not changed.
 */
const script = `mount --make-rprivate /
mount --bind "$1" "$2$3"
exec timeout --signal=KILL 60 setpriv --no-new-privs chroot --userspec=65534:65534 --groups= "$2" "$3" --version`;

/**
 * `at`: a program of the root, no link on its way. Returns what the root's loader says against it, e.g. that it
 * finds no `libstdc++.so.6`; undefined when it runs. Errors: the signal's reason.
 */
export async function tryProgram(
  root: string,
  { program, at }: { program: string; at: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];
  try {
    await runLong(['unshare', ...own, 'sh', '-ec', script, 'sh', program, root, at], { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // It says its own name first, which is that of the program in whose place it is.
    const said = error.stderr.split('\n').map((line) => line.replace(`${at}: `, '').trim());
    return said.filter(Boolean).join('; ') || 'it does not end';
  }
}
