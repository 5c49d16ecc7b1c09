/** Controller to which users log in by macaroons, with the requests that macaroon-bakery's clients send. */
import { expect } from 'vitest';
import { defined } from '../core/defined.ts';
import type { CommandRunner } from '../controller/server/command-runner.ts';
import { facades } from '../controller/facades/index.ts';
import { bind, type Macaroon } from '../kit/macaroon/macaroon.ts';
import { macaroonToJson } from '../kit/macaroon/encode.ts';
import { bakeryFromJson, type Slice } from '../kit/macaroon/slices.ts';
import { password, startApiServer, type ApiServer } from './api-server.ts';
import { ManualClock } from './manual-clock.ts';

export const day = 24 * 3_600_000;

interface LoginAnswer {
  readonly error: string | undefined;
  readonly identity: string | undefined;
  /** Macaroon that has to be discharged. */
  readonly required: unknown;
  readonly reason: string | undefined;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

export class MacaroonLogins implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly api: ApiServer;
  #users = 0;

  private constructor(clock: ManualClock, api: ApiServer) {
    this.clock = clock;
    this.api = api;
  }

  static async start(commands?: CommandRunner): Promise<MacaroonLogins> {
    const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
    return new MacaroonLogins(
      clock,
      await startApiServer({ facades, validate: true, clock, ...defined({ commands }) }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.api.stop();
  }

  /** Makes a user with admin's password, and returns the name. */
  async newUser(): Promise<string> {
    const name = `user${++this.#users}`;
    const { passwordHash } = this.api.store.read().in('').get('user', 'admin')!;
    await this.api.store.change(
      (tx) =>
        tx.put('user', name, {
          name,
          displayName: '',
          passwordHash,
          access: 'login',
          createdAt: tx.now,
          createdBy: 'admin',
          disabled: false,
        }),
      'test',
    );
    return name;
  }

  async logIn(
    tag: string,
    slices: readonly Slice[] = [],
    { path = '/api', credentials = '', version = 0 } = {},
  ): Promise<LoginAnswer> {
    const client = await this.api.open(path);
    const { response, error } = await client.call('Admin', 3, 'Login', {
      'auth-tag': tag,
      credentials,
      macaroons: slices.map((slice) => slice.map(macaroonToJson)),
      'bakery-version': version,
    });
    client.socket.close();
    const result = (response ?? {}) as Record<string, unknown>;
    return {
      error,
      identity: (result['user-info'] as { identity: string } | undefined)?.identity,
      required: version >= 3 ? result['bakery-discharge-required'] : result['discharge-required'],
      reason: result['discharge-required-error'] as string | undefined,
    };
  }

  async post(path: string, body: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    const answer = await this.api.http('POST', path, { body: Buffer.from(body), headers });
    return { ...answer, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
  }

  /** Returns a token of the login form, for the right password. */
  async tokenFor(name: string): Promise<string> {
    const { status, body } = await this.post(
      '/auth/form',
      JSON.stringify({ form: { user: name, password } }),
    );
    expect({ status, body }).toMatchObject({ status: 200, body: { token: { kind: 'juju_userpass' } } });
    return (body['token'] as { value: string }).value;
  }

  askDischarge(
    macaroon: Macaroon,
    more: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const id64 = macaroon.caveats.at(-1)!.id.toString('base64url');
    return this.post('/auth/discharge', new URLSearchParams({ id64, ...more }).toString(), headers);
  }

  /** Returns a login's macaroon and its discharge, for the right password. */
  async sliceOf(
    name: string,
    { version = 0, token }: { version?: number; token?: string } = {},
  ): Promise<Slice> {
    const { required } = await this.logIn(`user-${name}`, [], { version });
    const { macaroon } = bakeryFromJson(required);
    const { status, body } = await this.askDischarge(macaroon, {
      'token-kind': 'juju_userpass',
      token64: token ?? (await this.tokenFor(name)),
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    return [macaroon, bind(macaroon, bakeryFromJson(body['Macaroon']).macaroon)];
  }
}
