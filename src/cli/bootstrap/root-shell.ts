import { quoted } from '../../providers/toolkit/user-data/shell.ts';
import type { Ssh, SshResult, SshRunOptions } from '../../providers/toolkit/ssh/ssh.ts';

/** Runs scripts of a POSIX shell as root on another computer. */
export interface RootShell {
  /** What is wrong is an Error with the last words of the script. Returns its standard output. */
  run(script: string, options?: SshRunOptions): Promise<string>;
}

/** By sudo, which must not ask, where the login is not root's. */
export function rootShell(ssh: Ssh): RootShell {
  return {
    async run(script, options) {
      const command = `sh -c ${quoted(script)}`;
      const result = await ssh.run(ssh.target.user === 'root' ? command : `sudo -n ${command}`, options);
      if (result.code !== 0) throw new Error(lastWords(result));
      return result.stdout;
    },
  };
}

function lastWords({ code, stderr, stdout }: SshResult): string {
  const words = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n');
  return words === '' ? `exit code ${code}` : words.replace(/^ERROR /, '');
}
