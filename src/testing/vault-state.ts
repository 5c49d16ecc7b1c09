/** State of a Vault server: KV engines of both versions, tokens, a seal; and the part of its API that is used. */

interface Engine {
  readonly description: string;
  readonly version: '1' | '2';
  readonly data: Map<string, unknown>;
}

interface Asked {
  readonly method: string;
  /** Path below `/v1/`, encoded. */
  readonly path: string;
  readonly list: boolean;
  readonly token: string;
  readonly body: Record<string, unknown>;
}

export class VaultState {
  readonly #engines = new Map<string, Engine>();
  readonly #tokens = new Set(['root']);
  #made = 0;
  isSealed = false;
  /** Maximum lifetime of new tokens in seconds. */
  tokenSecondsMax = Infinity;
  /** Number of writes of contents until the server is sealed; undefined = it is never sealed. */
  sealsAfter: number | undefined;

  engines(): Engine[] {
    return [...this.#engines.values()];
  }

  /** Returns the contents by the path of their engine and their path in it. */
  contents(): Record<string, Record<string, unknown>> {
    return Object.fromEntries([...this.#engines].map(([path, { data }]) => [path, Object.fromEntries(data)]));
  }

  /** Makes an engine, as an operator does. */
  mount(path: string, engine: Pick<Engine, 'description' | 'version'>): void {
    this.#engines.set(path, { ...engine, data: new Map() });
  }

  /** Moves an engine to another path; `version`: also changes the engine to that version. */
  move(from: string, to: string, version?: Engine['version']): void {
    const engine = this.#engines.get(from)!;
    this.#engines.delete(from);
    this.#engines.set(to, { ...engine, version: version ?? engine.version });
  }

  tokens(): string[] {
    return [...this.#tokens];
  }

  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  /** Answers with a status and a body. */
  answer(asked: Asked): [number, unknown?] {
    const { path, token } = asked;
    if (path === 'sys/health') return [this.isSealed ? 503 : 200, { sealed: this.isSealed }];
    if (this.isSealed) return [503, { errors: ['Vault is sealed'] }];
    if (!this.#tokens.has(token)) return [403, { errors: ['permission denied'] }];
    if (path.startsWith('auth/token/')) return this.#token(asked);
    return path.startsWith('sys/mounts') ? this.#mount(asked) : this.#content(asked);
  }

  #token({ path, token, body }: Asked): [number, unknown?] {
    if (path === 'auth/token/lookup-self') return [200, { data: { policies: ['root'] } }];
    if (path === 'auth/token/revoke-self') return (this.revoke(token), [204]);
    if (path !== 'auth/token/create-orphan') return [404, { errors: [] }];
    const made = `made-${++this.#made}`;
    this.#tokens.add(made);
    const seconds = Math.min(Number.parseInt(String(body['ttl'])), this.tokenSecondsMax);
    return [200, { auth: { client_token: made, lease_duration: seconds } }];
  }

  #mount({ method, path, body }: Asked): [number, unknown?] {
    const name = decodeURIComponent(path.slice('sys/mounts/'.length));
    if (path === 'sys/mounts') {
      const engines = [...this.#engines].map(([at, { description, version }]) => [
        `${at}/`,
        { type: 'kv', description, options: { version } },
      ]);
      return [
        200,
        {
          data: {
            'sys/': { type: 'system', description: '', options: null },
            ...Object.fromEntries(engines),
          },
        },
      ];
    }
    if (method === 'DELETE') return (this.#engines.delete(name), [204]);
    if (this.#engines.has(name)) return [400, { errors: [`path is already in use at ${name}/`] }];
    const { description, options } = body as { description: string; options: { version: '1' | '2' } };
    this.mount(name, { description, version: options.version });
    return [204];
  }

  #content({ method, path, list, body }: Asked): [number, unknown?] {
    const at = [...this.#engines.keys()].find((one) => path.startsWith(`${one}/`));
    const engine = at === undefined ? undefined : this.#engines.get(at);
    if (!engine) return [404, { errors: [`no handler for route "${path}"`] }];
    const rest = decodeURIComponent(path.slice(at!.length + 1));
    if (engine.version === '2' && !/^(?:data|metadata)\//.test(rest)) return [404, { errors: [] }];
    const name = engine.version === '2' ? rest.slice(rest.indexOf('/') + 1) : rest;
    const { data } = engine;
    if (list) return data.size === 0 ? [404, { errors: [] }] : [200, { data: { keys: [...data.keys()] } }];
    if (method === 'POST') {
      if (this.sealsAfter !== undefined && this.sealsAfter-- <= 0) {
        this.isSealed = true;
        return [503, { errors: ['Vault is sealed'] }];
      }
      data.set(name, engine.version === '2' ? body['data'] : body);
      return engine.version === '2' ? [200, { data: { version: 1 } }] : [204];
    }
    if (method === 'DELETE') return (data.delete(name), [204]);
    if (!data.has(name)) return [404, { errors: [] }];
    return [200, { data: engine.version === '2' ? { data: data.get(name) } : data.get(name) }];
  }
}
