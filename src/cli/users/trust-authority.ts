import { JujuError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { fingerprint } from './fingerprint.ts';

/**
 * Fetches the CA certificate, in PEM, of the controller at `host:port` and shows its fingerprint, which the user trusts
 * or not: in advance by `trust`, which counts only with `noPrompt`. Errors: '' when it is not trusted; those of
 * authorityAt.
 */
export async function trustAuthority(
  context: CommandContext,
  host: string,
  { trust, noPrompt }: { readonly trust: boolean; readonly noPrompt: boolean },
): Promise<string> {
  const { stderr, stdin, signal } = context.io;
  const caCert = await context.progress(`Connecting to ${host}`, context.io.authorityAt(host, signal));
  stderr.write(
    `Controller "${host}" presented a CA cert that could not be verified.\nCA fingerprint: [${fingerprint(caCert)}]\n`,
  );
  if (noPrompt ? !trust : !(await isTrusted())) throw new JujuError('', 'controller CA not trusted');
  return caCert;

  async function isTrusted(): Promise<boolean> {
    if (trust) stderr.write('Ignoring --trust without --no-prompt\n');
    stderr.write('Trust remote controller? (y/N): ');
    return /^y(es)?$/i.test(((await stdin.readLine()) ?? '').trim());
  }
}
