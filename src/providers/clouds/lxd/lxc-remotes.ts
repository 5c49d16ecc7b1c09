import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYamlValue } from '../../../kit/yaml/read.ts';
import type { Credential, DetectedCloud, DetectIo } from '../../contract/provider.ts';
import { localCloud } from './names.ts';
import { defined } from '../../../core/defined.ts';

interface Remote {
  readonly addr?: string;
  readonly protocol?: string;
  readonly public?: boolean;
}

/** Reads the remotes of the `lxc` client, Debian's and the snap's; the first definition of a name wins. */
export async function detectRemotes(env: DetectIo['env'], home: string): Promise<DetectedCloud[]> {
  const folders = [env['LXD_CONF'], join(home, '.config/lxc'), join(home, 'snap/lxd/common/config')].filter(
    (folder): folder is string => Boolean(folder),
  );
  const found = new Map<string, DetectedCloud>();
  for (const folder of folders) {
    for (const [name, { addr = '', protocol = 'lxd', public: isPublic = false }] of await remotesIn(folder)) {
      if (
        found.has(name) ||
        name === localCloud ||
        protocol !== 'lxd' ||
        isPublic ||
        !addr.startsWith('https://')
      )
        continue;
      const credential = await credentialIn(folder, name);
      if (!credential) continue;
      const label = `lxc remote "${name}" (${join(folder, 'config.yml')})`;
      found.set(name, {
        name,
        endpoint: addr,
        regions: ['default'],
        credentials: { [name]: { ...credential, label } },
      });
    }
  }
  return [...found.values()];
}

async function remotesIn(folder: string): Promise<[string, Remote][]> {
  const text = await read(join(folder, 'config.yml'));
  if (text === undefined) return [];
  try {
    const remotes =
      (readYamlValue(text) as { remotes?: Record<string, Remote | null> } | null)?.remotes ?? {};
    return Object.entries(remotes).flatMap(([name, remote]) => (remote ? [[name, remote] as const] : []));
  } catch {
    return [];
  }
}

/** Reads the credential of a remote. A remote without a server certificate is verified by public authorities. */
async function credentialIn(folder: string, remote: string): Promise<Credential | undefined> {
  const cert = await read(join(folder, 'client.crt'));
  const key = await read(join(folder, 'client.key'));
  if (cert === undefined || key === undefined) return undefined;
  const server = await read(join(folder, 'servercerts', `${remote}.crt`));
  return {
    authType: 'certificate',
    attributes: {
      'client-cert': cert,
      'client-key': key,
      ...defined({ 'server-cert': server }),
    },
  };
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
