import { JujuError } from '../../core/errors.ts';
import { loginOptions } from '../../operate/login-options.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import { call } from '../../client/calls.ts';
import type { CommandContext } from '../context.ts';

/** Downloads the archive of a charm that the model has into `file`. Errors: `not found`, `not supported`. */
export async function downloadCharm(
  context: CommandContext,
  session: ModelSession,
  { url, file }: { readonly url: string; readonly file: string },
): Promise<void> {
  const { sha256 } = await call(session.connection, 'Charms', 'CharmInfo', { url });
  if (sha256 === undefined)
    throw new JujuError('not supported', `the controller does not report the checksum of charm "${url}"`);
  await context.progress(
    `Downloading charm ${url}`,
    context.io.downloadCharm({
      ...loginOptions(session, context.io.signal),
      modelUuid: session.modelUuid,
      url,
      sha256,
      file,
    }),
  );
}
