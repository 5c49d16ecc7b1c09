import { limits } from '../../core/limits.ts';
import { JujuError } from '../../core/errors.ts';
import type { CliIo } from '../io.ts';

/** Part of a command's context: the context itself asks for passwords, and may not be imported here. */
interface Terminal {
  readonly io: Pick<CliIo, 'stdin' | 'stderr'>;
}

/** Asks for a line that the terminal does not show. Errors: '' at the end of the input. */
export async function askPassword(context: Terminal, prompt: string): Promise<string> {
  context.io.stderr.write(prompt);
  const answer = await context.io.stdin.readLine({ hidden: true });
  if (context.io.stdin.isTTY || answer === undefined) context.io.stderr.write('\n');
  if (answer === undefined) throw new JujuError('', 'no password was given');
  return answer;
}

/** Asks for a new password, twice. Errors: '' when the password is empty, or when the two differ. */
export async function askNewPassword(
  context: Terminal,
  { first, again }: { readonly first: string; readonly again: string },
): Promise<string> {
  const password = checkedPassword(await askPassword(context, first));
  if ((await askPassword(context, again)) !== password) throw new JujuError('', 'passwords do not match');
  return password;
}

/** Checks that the text can be a password, and returns it. Errors: ''. */
export function checkedPassword(password: string | undefined): string {
  if (!password) throw new JujuError('', 'you must enter a password');
  if (password.length > limits.password.max)
    throw new JujuError('', `a password has ${limits.password.max} characters at most`);
  return password;
}
