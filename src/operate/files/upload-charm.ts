/** Charms on disk that can be sent to a model. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CharmUpload } from '../../client/http.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { makeTemporaryFolder } from '../../kit/stale-folders.ts';
import { working, type Operator } from '../operator.ts';
import { loginOptions } from '../login-options.ts';
import type { ModelSession } from '../sessions.ts';
import { describeCheckout } from './describe-checkout.ts';
import { readCharm, type LocalCharm } from './read-charm.ts';

/** Sends an archive and resolves with the charm's URL. */
type SendCharm = (upload: CharmUpload) => Promise<string>;

/** Returns the charm in a folder or a `.charm` file. Errors: those of readCharm. */
export async function localCharm(path: string, send: SendCharm): Promise<CharmSource> {
  const local = await readCharm(path);
  return {
    charm: local.charm,
    files: local.files,
    revision: local.revision,
    sha256: (version) => hashOf(local, version),
    upload: (operator, session) => upload(operator, session, { local, send }),
  };
}

/** Sends the charm; a folder is packed first. */
async function upload(
  operator: Operator,
  session: ModelSession,
  { local, send }: { readonly local: LocalCharm; readonly send: SendCharm },
): Promise<string> {
  const { name } = local.charm.meta;
  return withTemporary(async (folder) => {
    let file = local.path;
    if (local.kind === 'directory') {
      // The dynamic import keeps the module out of commands that pack no charm.
      const { packCharm } = await import('./zip-charm.ts');
      file = join(folder, 'charm.zip');
      const packing = packCharm(local.path, file);
      const version = await working(operator, { kind: 'packing', path: local.path }, packing);
      if (version === '') operator.report({ kind: 'detail', text: withoutCheckout(local.path) });
    }
    const { size: bytes } = await stat(file);
    const uploading = send({
      ...loginOptions(session, operator.signal),
      modelUuid: session.modelUuid,
      name,
      revision: local.revision,
      file,
    });
    return working(operator, { kind: 'uploading', charm: name, bytes }, uploading);
  });
}

/** Tells, in Juju's words, that no version control says which version the charm in a folder has. */
function withoutCheckout(folder: string): string {
  const versioned = existsSync(join(folder, 'version'))
    ? 'charm is not in version control, but uses a version file'
    : 'charm is not versioned';
  return `${versioned}, charm path ${JSON.stringify(resolve(folder))}`;
}

/** Returns the hash of the charm's archive. `version` is written into the archive only for a folder in a checkout. */
async function hashOf({ kind, path }: LocalCharm, version: string): Promise<string> {
  if (kind === 'archive') return sha256Of(path);
  const { zipCharm } = await import('./zip-charm.ts');
  return withTemporary(async (folder) => {
    const file = join(folder, 'charm.zip');
    await zipCharm(path, file, (await describeCheckout(path)) === '' ? '' : version);
    return sha256Of(file);
  });
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

const prefix = 'grigri-charm-';

async function withTemporary<T>(fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder(prefix);
  try {
    return await fn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
