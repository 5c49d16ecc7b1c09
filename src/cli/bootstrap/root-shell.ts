import { quoted } from '../../providers/toolkit/user-data/shell.ts';
import type { Ssh, SshResult, SshRunOptions } from '../../providers/toolkit/ssh/ssh.ts';

/** Runner of POSIX shell scripts as root on another computer. */
export interface RootShell {
  /** Runs a script and returns its standard output. Errors: plain Error with the last output of the script. */
  run(script: string, options?: SshRunOptions): Promise<string>;
}

/** Runs scripts by sudo without a password prompt, unless the login is root's. */
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
