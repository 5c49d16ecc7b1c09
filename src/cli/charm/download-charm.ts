import { JujuError } from '../../core/errors.ts';
import { userTag } from '../../wire/tags.ts';
import { call } from '../../client/calls.ts';
import type { CommandContext, ModelSession } from '../context.ts';

/** The archive of a charm that the model has, into `file`. Errors: `not found`, `not supported`. */
export async function downloadCharm(
  context: CommandContext,
  session: ModelSession,
  { url, file }: { readonly url: string; readonly file: string },
): Promise<void> {
  const { sha256 } = await call(session.connection, 'Charms', 'CharmInfo', { url });
  if (sha256 === undefined)
    throw new JujuError('not supported', `the controller does not tell the checksum of charm "${url}"`);
  const account = await (await context.store()).account(session.controller);
  await context.progress(
    `Downloading charm ${url}`,
    context.io.downloadCharm({
      addresses: session.details['api-endpoints'],
      caCert: session.details['ca-cert'],
      login: { tag: userTag(session.user), password: account?.password ?? '' },
      modelUuid: session.modelUuid,
      url,
      sha256,
      file,
      signal: context.io.signal,
    }),
  );
}
