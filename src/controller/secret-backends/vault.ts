/**
 * Contents of secrets in a Vault server (secrets.md#vault): each model has a mount of the KV engine, version 1 as by
 * Juju, or 2 where an operator has made it so.
 */
import { joinContentKey, readContentKey } from '../../core/secret/content-key.ts';
import type { SecretContent } from '../../core/secret/content.ts';
import type { NewContent, SecretBackend } from './backend.ts';
import type { VaultApi, VaultAnswer } from './vault-api.ts';

/** A model's KV engine. */
interface Mount {
  /** Encoded path, without slashes at its ends. */
  readonly path: string;
  readonly version: 1 | 2;
}

export interface VaultBackendParts {
  /** Id of the backend, the first part of its keys. */
  readonly id: string;
  readonly api: VaultApi;
  /** UUID of the controller: others that share the server leave its mounts alone. */
  readonly controller: string;
  /** Path below which the mounts are; '' = none. */
  readonly mountPath: string;
  /** Name of a model; undefined when it is gone. */
  readonly modelName: (uuid: string) => string | undefined;
}

export class VaultBackend implements SecretBackend {
  readonly #parts: VaultBackendParts;
  /** Mounts by model, as they were seen last. */
  #mounts: ReadonlyMap<string, Mount> = new Map();

  constructor(parts: VaultBackendParts) {
    this.#parts = parts;
  }

  async put(contents: readonly NewContent[]): Promise<void> {
    const { api } = this.#parts;
    for (const { key, content } of contents) {
      const { model, name } = readContentKey(key);
      const write = async (): Promise<VaultAnswer> => {
        const mount = await this.#ensureMount(model);
        return api.send('POST', dataPath(mount, name), mount.version === 2 ? { data: content } : content);
      };
      let answer = await write();
      if (answer.status === 404) {
        // The engine was removed meanwhile.
        this.#mounts = new Map();
        answer = await write();
      }
      if (answer.status === 404) throw api.error(`has no engine for the model any more`);
    }
  }

  async get(key: string): Promise<SecretContent | undefined> {
    const { model, name } = readContentKey(key);
    const mount = await this.#findMount(model);
    if (!mount) return undefined;
    const { status, body } = await this.#parts.api.send('GET', dataPath(mount, name));
    if (status === 404) return undefined;
    const data = mapIn(body, 'data');
    const content = mount.version === 2 ? mapIn(data, 'data') : data;
    if (Object.values(content).some((value) => typeof value !== 'string'))
      throw this.#parts.api.error('has a content of a secret that was changed there');
    return content as SecretContent;
  }

  async erase(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const { model, name } = readContentKey(key);
      const mount = await this.#findMount(model);
      if (mount) await this.#parts.api.send('DELETE', namePath(mount, name));
    }
  }

  async models(): Promise<readonly string[]> {
    await this.#readMounts();
    return [...this.#mounts.keys()];
  }

  async keys(model: string): Promise<readonly string[]> {
    const mount = await this.#findMount(model);
    if (!mount) return [];
    const { body } = await this.#parts.api.send('GET', `${namePath(mount, '')}?list=true`);
    const { keys } = mapIn(body, 'data');
    const names = Array.isArray(keys) ? keys.filter((name): name is string => typeof name === 'string') : [];
    return names.map((name) => joinContentKey({ backend: this.#parts.id, model, name: nameAt(name) }));
  }

  async forget(model: string): Promise<void> {
    const mount = await this.#findMount(model);
    if (!mount) return;
    await this.#parts.api.send('DELETE', `sys/mounts/${mount.path}`);
    this.#mounts = new Map([...this.#mounts].filter(([uuid]) => uuid !== model));
  }

  async check(): Promise<void> {
    await this.#parts.api.health();
    await this.#readMounts();
  }

  /**
   * Makes a token with the rights of this one, which lasts `validMs`. The caller stores it, and revokes what it replaces
   * with `revokeOwnToken`. Errors: as VaultApi.send; the token must be allowed to make orphans.
   */
  async newToken(validMs: number): Promise<string> {
    const { api } = this.#parts;
    const { policies } = mapIn((await api.send('GET', 'auth/token/lookup-self')).body, 'data');
    const { body } = await api.send('POST', 'auth/token/create-orphan', {
      policies,
      ttl: `${Math.ceil(validMs / 1000)}s`,
      explicit_max_ttl: `${Math.ceil(validMs / 1000)}s`,
      display_name: 'grigri',
    });
    const { client_token: token } = mapIn(body, 'auth');
    if (typeof token !== 'string' || token === '') throw api.error('has made no token');
    return token;
  }

  async revokeOwnToken(): Promise<void> {
    await this.#parts.api.send('POST', 'auth/token/revoke-self');
  }

  async #findMount(model: string): Promise<Mount | undefined> {
    if (!this.#mounts.has(model)) await this.#readMounts();
    return this.#mounts.get(model);
  }

  async #ensureMount(model: string): Promise<Mount> {
    const known = await this.#findMount(model);
    if (known) return known;
    const { api, mountPath, modelName } = this.#parts;
    const name = modelName(model);
    if (name === undefined) throw api.error('keeps nothing for a model that is gone');
    const path = `${mountPath === '' ? '' : `${mountPath}/`}${encodeURIComponent(name)}-${model.slice(-6)}`;
    await api.send('POST', `sys/mounts/${path}`, {
      type: 'kv',
      description: this.#description(model),
      options: { version: '1' },
    });
    await this.#readMounts();
    const made = this.#mounts.get(model);
    if (!made) throw api.error('has not made an engine for the model');
    return made;
  }

  /** Finds this controller's engines: by what was written on them when they were made. */
  async #readMounts(): Promise<void> {
    const { body } = await this.#parts.api.send('GET', 'sys/mounts');
    const prefix = this.#description('');
    const found = new Map<string, Mount>();
    for (const [path, value] of Object.entries(mapIn(body, 'data'))) {
      const { type, description, options } = value as Record<string, unknown>;
      if (type !== 'kv' || typeof description !== 'string' || !description.startsWith(prefix)) continue;
      const version = (options as { version?: unknown } | null)?.version === '2' ? 2 : 1;
      const encoded = path.replace(/\/$/, '').split('/').map(encodeURIComponent).join('/');
      found.set(description.slice(prefix.length), { path: encoded, version });
    }
    this.#mounts = found;
  }

  /** What is written on a model's engine; an operator who makes one, of version 2, writes the same. */
  #description(model: string): string {
    return `grigri ${this.#parts.controller} ${model}`;
  }
}

/** Where contents are read and written. */
function dataPath({ path, version }: Mount, name: string): string {
  return `${path}${version === 2 ? '/data' : ''}/${atName(name)}`;
}

/** Where names are listed and erased, with all that there ever was below them. */
function namePath({ path, version }: Mount, name: string): string {
  return `${path}${version === 2 ? '/metadata' : ''}/${atName(name)}`;
}

/** A name has two parts; in Vault they are one segment of a path. */
function atName(name: string): string {
  return encodeURIComponent(name.replaceAll('/', '-'));
}

function nameAt(segment: string): string {
  return segment.replaceAll('-', '/');
}

function mapIn(map: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = map[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
