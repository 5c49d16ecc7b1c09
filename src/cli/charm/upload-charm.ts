import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userTag } from '../../wire/tags.ts';
import type { CommandContext, ModelSession } from '../context.ts';
import type { LocalCharm } from './read-charm.ts';

/** Packs it if it is a directory. Resolves with the charm's url. */
export async function uploadCharm(
  context: CommandContext,
  session: ModelSession,
  local: LocalCharm,
): Promise<string> {
  const account = await (await context.store()).account(session.controller);
  const temporary = await mkdtemp(join(tmpdir(), 'grigri-charm-'));
  try {
    let file = local.path;
    if (local.kind === 'directory') {
      const { packCharm } = await import('./zip-charm.ts');
      file = join(temporary, 'charm.zip');
      await context.progress(`Packing ${local.path}`, packCharm(local.path, file));
    }
    const { size } = await stat(file);
    return await context.progress(
      `Uploading charm ${local.charm.meta.name} (${(size / 1e6).toFixed(1)} MB)`,
      context.io.uploadCharm({
        addresses: session.details['api-endpoints'],
        caCert: session.details['ca-cert'],
        login: { tag: userTag(session.user), password: account?.password ?? '' },
        modelUuid: session.modelUuid,
        name: local.charm.meta.name,
        revision: local.revision,
        file,
        signal: context.io.signal,
      }),
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
