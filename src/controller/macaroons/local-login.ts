/**
 * Login of the controller's own users by macaroons (login.md#macaroon-login): the controller asks itself, as a third
 * party, whether they have shown their passwords.
 */
import { hkdfSync } from 'node:crypto';
import { activeUser } from '../../core/access/access-of.ts';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import { isSinceLastPassword, userId, type UserDoc } from '../../core/user/document.ts';
import { boxKeys, type BoxKeys } from '../../kit/box.ts';
import {
  declared,
  needDeclared,
  parseNeedDeclared,
  splitCondition,
  timeBefore,
} from '../../kit/macaroon/conditions.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { addCondition, addThirdParty, mint, newRootKey, type Macaroon } from '../../kit/macaroon/macaroon.ts';
import { bakeryToJson, type Slice } from '../../kit/macaroon/slices.ts';
import { encodeThirdPartyCaveat } from '../../kit/macaroon/third-party.ts';
import type { Services } from '../services.ts';
import { FormTokens } from './form-tokens.ts';
import { checkSlices, mintMacaroon, namespace, type Mint } from './macaroons.ts';
import { openCaveat } from './open-caveat.ts';

/** Time for which a login by macaroons is valid. */
const loginMs = 24 * 3_600_000;
/** Time for which a user who has registered gets a discharge without a password. */
const registeredMs = 120_000;
const operations = { login: 'login', discharge: 'discharge' } as const;
const authenticatedUser = 'is-authenticated-user';
/** The only kind of token that stands for a password. */
export const tokenKind = 'juju_userpass';

export class LocalLogin {
  readonly #mint: Mint;
  readonly #keys: BoxKeys;
  readonly #tokens: FormTokens;

  constructor({ store, services }: Mint & { readonly services: Pick<Services, 'agentKey' | 'clock'> }) {
    this.#mint = { store, services };
    // Keys are derived, so that none has to be stored: macaroons outlive a restart of the controller.
    this.#keys = boxKeys(new Uint8Array(hkdfSync('sha256', services.agentKey, '', 'grigri discharges', 32)));
    this.#tokens = new FormTokens(services.clock);
  }

  /** The public key for caveats that this controller discharges, 32 bytes. */
  get publicKey(): Buffer {
    return this.#keys.publicKey;
  }

  /**
   * Returns the error `macaroon discharge required`, whose info has a macaroon that logs the user in once it is
   * discharged at `host`, as the client has dialled it. The error does not tell whether there is such a user.
   */
  async required({
    user,
    host,
    bakeryVersion,
    reason,
  }: {
    readonly user: string;
    readonly host: string;
    readonly bakeryVersion: number;
    readonly reason: string;
  }): Promise<JujuError> {
    const version = bakeryVersion >= 3 ? 3 : 2;
    const rootKey = newRootKey();
    const condition = needDeclared(['username'], `${authenticatedUser} ${userId(user)}`);
    const id = encodeThirdPartyCaveat(
      { version, condition, rootKey, namespace: version === 3 ? namespace : '' },
      this.#keys,
      this.#keys.publicKey,
    );
    const bare = await mintMacaroon(this.#mint, { operation: operations.login, validMs: loginMs });
    const macaroon = addThirdParty(bare, { rootKey, id, location: `https://${host}/auth` });
    return new JujuError('macaroon discharge required', `macaroon discharge required: ${reason}`, {
      info: {
        macaroon: macaroonToJson(macaroon),
        'bakery-macaroon': bakeryToJson(macaroon, version, namespace),
        'macaroon-path': '/',
      },
    });
  }

  /** Returns the user that the slices log in; or why they log in nobody, or another than `name` ('' = anybody). */
  check(slices: readonly Slice[], name: string): UserDoc | { readonly refusal: string } {
    let refusal = 'no macaroons';
    for (const slice of slices) {
      const checked = checkSlices(this.#mint, [slice], { operation: operations.login });
      if ('refusal' in checked) refusal = checked.refusal;
      else {
        const user = this.#userSince(checked.declared.get('username') ?? '', checked.mintedAt);
        if (user && (name === '' || userId(user.name) === userId(name))) return user;
        refusal = 'macaroon is for another user, or of before a change of the password';
      }
    }
    return { refusal };
  }

  /** Issues a token for a user who has shown the right password. */
  issueToken(user: UserDoc): string {
    return this.#tokens.issue(userId(user.name));
  }

  /**
   * Mints the macaroon of a user who has just registered: with it, the discharge of the first login needs no password.
   */
  registered(user: UserDoc): Promise<Macaroon> {
    const conditions = [`${authenticatedUser} ${userId(user.name)}`];
    return mintMacaroon(this.#mint, { operation: operations.discharge, validMs: registeredMs, conditions });
  }

  /**
   * Discharges a caveat of `required`, for a client with a token, or the macaroon of `registered`. Returns it in JSON
   * as the caveat's version has it; undefined: the user has to show the password first. Errors: `bad request` for a
   * caveat that is not for this controller; `unauthorized access` for a token that is another user's or no longer
   * valid.
   */
  discharge({
    id,
    caveat,
    token,
    slices,
  }: {
    readonly id: Uint8Array;
    /** Content of the caveat. */
    readonly caveat: Uint8Array;
    readonly token: string | undefined;
    readonly slices: readonly Slice[];
  }): unknown {
    const { rootKey, version, ...asked } = this.#open(caveat);
    const user =
      token === undefined ? this.#registeredUser(asked.user, slices) : this.#userOfToken(asked.user, token);
    if (!user) return undefined;
    const { clock } = this.#mint.services;
    const macaroon = [declared('username', user.name), timeBefore(clock.now() + loginMs)].reduce(
      addCondition,
      mint({ rootKey, id }),
    );
    return bakeryToJson(macaroon, version, namespace);
  }

  #open(caveat: Uint8Array): { rootKey: Buffer; version: number; user: string } {
    const opened = openCaveat(this.#keys, caveat);
    const { names, condition } = parseNeedDeclared(opened.condition);
    const { word, argument } = splitCondition(condition);
    if (word !== authenticatedUser || names.some((name) => name !== 'username'))
      throw new JujuError('bad request', 'caveat not recognized');
    return { ...opened, user: argument };
  }

  #userOfToken(name: string, token: string): UserDoc {
    const entry = this.#tokens.take(token);
    const user = entry && entry.user === userId(name) ? this.#userSince(name, entry.issuedAt) : undefined;
    if (!user) throw permissionDenied();
    return user;
  }

  #registeredUser(name: string, slices: readonly Slice[]): UserDoc | undefined {
    const checked = checkSlices(this.#mint, slices, {
      operation: operations.discharge,
      holds: (condition) => condition === `${authenticatedUser} ${userId(name)}`,
    });
    return 'refusal' in checked ? undefined : this.#userSince(name, checked.mintedAt);
  }

  /** Returns the user, if the password has not changed since `time`. */
  #userSince(name: string, time: number): UserDoc | undefined {
    const user = activeUser(this.#mint.store.read().in(''), name);
    return user && isSinceLastPassword(user, time) ? user : undefined;
  }
}
