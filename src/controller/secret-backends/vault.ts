/**
 * Contents of secrets in a Vault server (secrets.md#vault): each model has a mount of the KV engine, version 1 as by
 * Juju, or 2 where an operator has made it so.
 */
import { defined } from '../../core/defined.ts';
import { joinContentKey, readContentKey } from '../../core/secret/content-key.ts';
import type { SecretContent } from '../../core/secret/content.ts';
import { timeLimit, type Clock } from '../../kit/clock.ts';
import { sideBySide } from '../../kit/side-by-side.ts';
import { requestsAtOnce, wholeMs, type NewContent, type SecretBackend } from './backend.ts';
import type { VaultApi } from './vault-api.ts';
import type { VaultAnswer } from './vault-http.ts';

/** A model's KV engine. */
interface Mount {
  /** Encoded path, without slashes at its ends. */
  readonly path: string;
  readonly version: 1 | 2;
}

interface NewToken {
  readonly token: string;
  readonly validMs: number;
}

interface VaultBackendParts {
  /** Id of the backend, the first part of its keys. */
  readonly id: string;
  readonly api: VaultApi;
  readonly clock: Clock;
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
  /** A request for the list of engines that is under way: callers that do not know theirs share it. */
  #finding: Promise<void> | undefined;
  /** Engines that are being made, by model. */
  readonly #making = new Map<string, Promise<Mount>>();

  constructor(parts: VaultBackendParts) {
    this.#parts = parts;
  }

  async put(contents: readonly NewContent[]): Promise<void> {
    await this.#each(contents, 'stored', async ({ key, content }, signal) => {
      const { api } = this.#parts;
      const { model, name } = readContentKey(key);
      const write = async (): Promise<VaultAnswer> => {
        const mount = await this.#ensureMount(model);
        const body = mount.version === 2 ? { data: content } : content;
        return api.send('POST', dataPath(mount, name), { body, signal });
      };
      let answer = await write();
      if (answer.status === 404) {
        // The engine was removed meanwhile.
        this.#mounts = new Map();
        answer = await write();
      }
      if (answer.status === 404) throw api.error(`has no engine for the model any more`);
    });
  }

  async get(key: string, signal?: AbortSignal): Promise<SecretContent | undefined> {
    const { model, name } = readContentKey(key);
    const found = await this.#ask(model, 'GET', (mount) => dataPath(mount, name), signal);
    if (!found || found.answer.status === 404) return undefined;
    const { mount, answer } = found;
    const data = mapIn(answer.body, 'data');
    const content = mount.version === 2 ? mapIn(data, 'data') : data;
    if (Object.values(content).some((value) => typeof value !== 'string'))
      throw this.#parts.api.error('has a content of a secret that was changed there');
    return content as SecretContent;
  }

  async erase(keys: readonly string[]): Promise<void> {
    await this.#each(keys, 'erased', async (key, signal) => {
      const { model, name } = readContentKey(key);
      await this.#ask(model, 'DELETE', (mount) => namePath(mount, name), signal);
    });
  }

  async models(): Promise<readonly string[]> {
    await this.#readMounts();
    return [...this.#mounts.keys()];
  }

  async keys(model: string): Promise<readonly string[]> {
    const found = await this.#ask(model, 'GET', (mount) => `${namePath(mount, '')}?list=true`);
    const { keys } = mapIn(found?.answer.body ?? {}, 'data');
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
   * Makes a token with the rights of this one, which lasts `validMs`, or less where the server allows no more. The
   * caller stores it, and revokes what it replaces with `revokeOwnToken`. Errors: as VaultApi.send; the token must be
   * allowed to make orphans.
   */
  async newToken(validMs: number): Promise<NewToken> {
    const { api } = this.#parts;
    const { policies } = mapIn((await api.send('GET', 'auth/token/lookup-self')).body, 'data');
    const { body } = await api.send('POST', 'auth/token/create-orphan', {
      body: {
        policies,
        ttl: `${Math.ceil(validMs / 1000)}s`,
        explicit_max_ttl: `${Math.ceil(validMs / 1000)}s`,
        display_name: 'grigri',
      },
    });
    const { client_token: token, lease_duration: seconds } = mapIn(body, 'auth');
    if (typeof token !== 'string' || token === '') throw api.error('has made no token');
    const granted = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : validMs;
    return { token, validMs: Math.min(validMs, granted) };
  }

  async revokeOwnToken(): Promise<void> {
    await this.#parts.api.send('POST', 'auth/token/revoke-self');
  }

  /**
   * Sends a request to a model's engine; undefined when the model has none. An engine that answers 404 may have been
   * moved, or made version 2, since it was seen.
   */
  async #ask(
    model: string,
    method: string,
    pathIn: (mount: Mount) => string,
    signal?: AbortSignal,
  ): Promise<{ readonly mount: Mount; readonly answer: VaultAnswer } | undefined> {
    const { api } = this.#parts;
    const mount = await this.#findMount(model);
    if (!mount) return undefined;
    const how = defined({ signal });
    const answer = await api.send(method, pathIn(mount), how);
    if (answer.status !== 404) return { mount, answer };
    await this.#readMounts();
    const now = this.#mounts.get(model);
    if (!now || (now.path === mount.path && now.version === mount.version)) return { mount, answer };
    return { mount: now, answer: await api.send(method, pathIn(now), how) };
  }

  /** Works on contents concurrently. Errors: that of the first that fails; the backend's when all take too long. */
  async #each<T>(
    items: readonly T[],
    done: string,
    run: (item: T, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { api, clock } = this.#parts;
    const limit = timeLimit(clock, wholeMs);
    let count = 0;
    const counted = async (item: T): Promise<void> => {
      await run(item, limit.signal);
      count += 1;
    };
    try {
      await sideBySide(items, requestsAtOnce, counted, limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      throw api.error(`has ${done} ${count} of ${items.length} contents in ${wholeMs / 1000} s`, error);
    } finally {
      limit.done();
    }
  }

  async #findMount(model: string): Promise<Mount | undefined> {
    if (!this.#mounts.has(model))
      await (this.#finding ??= this.#readMounts().finally(() => (this.#finding = undefined)));
    return this.#mounts.get(model);
  }

  async #ensureMount(model: string): Promise<Mount> {
    const known = await this.#findMount(model);
    if (known) return known;
    let making = this.#making.get(model);
    if (!making) {
      making = this.#makeMount(model).finally(() => this.#making.delete(model));
      this.#making.set(model, making);
    }
    return making;
  }

  async #makeMount(model: string): Promise<Mount> {
    const { api, mountPath, modelName } = this.#parts;
    const name = modelName(model);
    if (name === undefined) throw api.error('keeps nothing for a model that is gone');
    const path = `${mountPath === '' ? '' : `${mountPath}/`}${encodeURIComponent(name)}-${model.slice(-6)}`;
    const engine = { type: 'kv', description: this.#description(model), options: { version: '1' } };
    const failure = await api.send('POST', `sys/mounts/${path}`, { body: engine }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    await this.#readMounts();
    const made = this.#mounts.get(model);
    // An engine that somebody else made in between is used, although the server refuses to make it again.
    if (!made) throw failure ?? api.error('has not made an engine for the model');
    return made;
  }

  /** Finds this controller's engines: by the description that they got when they were made. */
  async #readMounts(): Promise<void> {
    const { body } = await this.#parts.api.send('GET', 'sys/mounts');
    const prefix = this.#description('');
    const found = new Map<string, Mount>();
    const engines = mapIn(body, 'data');
    for (const path of Object.keys(engines)) {
      const engine = mapIn(engines, path);
      const { type, description } = engine;
      if (type !== 'kv' || typeof description !== 'string' || !description.startsWith(prefix)) continue;
      const model = description.slice(prefix.length);
      // An engine with more in its description, such as a copy, was not made for the model, and is not removed.
      if (!/^[0-9a-f-]{36}$/.test(model)) continue;
      const version = mapIn(engine, 'options')['version'] === '2' ? 2 : 1;
      const encoded = path.replace(/\/$/, '').split('/').map(encodeURIComponent).join('/');
      found.set(model, { path: encoded, version });
    }
    this.#mounts = found;
  }

  /** Description of a model's engine; an operator who makes one, of version 2, writes the same. */
  #description(model: string): string {
    return `grigri ${this.#parts.controller} ${model}`;
  }
}

/** Path at which contents are read and written. */
function dataPath({ path, version }: Mount, name: string): string {
  return `${path}${version === 2 ? '/data' : ''}/${atName(name)}`;
}

/** Path at which names are listed and erased, with all that there ever was below them. */
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
