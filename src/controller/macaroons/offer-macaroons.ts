/**
 * Macaroons with which another controller consumes offers of this one, in the name of a user
 * (offers.md#offer-macaroons). The controller asks itself, as a third party, whether that user still may.
 */
import { hkdfSync } from 'node:crypto';
import { allows, grantee } from '../../core/access/access-of.ts';
import { defined } from '../../core/defined.ts';
import { JujuError, permissionDenied } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { countSince } from '../../core/model/consents.ts';
import { parseJson } from '../../core/parse-json.ts';
import { userId } from '../../core/user/document.ts';
import { boxKeyBytes, boxKeys, type BoxKeys } from '../../kit/box.ts';
import {
  checkConditions,
  declared,
  needDeclared,
  parseNeedDeclared,
  splitCondition,
  timeBefore,
} from '../../kit/macaroon/conditions.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import {
  addCondition,
  addThirdParty,
  mint,
  newRootKey,
  verify,
  type Macaroon,
} from '../../kit/macaroon/macaroon.ts';
import { bakeryToJson, slicesFromJson, type Slice } from '../../kit/macaroon/slices.ts';
import { encodeThirdPartyCaveat } from '../../kit/macaroon/third-party.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { namespace } from './macaroons.ts';
import { openCaveat } from './open-caveat.ts';

/** Time for which a macaroon is valid before the user's access is asked for anew. */
const validMs = 180_000;
/** Offset of the maker's public key in an encoded caveat: behind the version and the start of the other party's key. */
const senderAt = 5;
const hasPermission = 'has-offer-permission';
/** What the key of earlier releases, which was one for all models, was derived by. */
const earlierKey = 'grigri offers';
/** Member of an error's info: a macaroon of the model's own key, to be kept in the place of one of the earlier key. */
export const renewed = 'grigri-renewed-macaroon';

/** Consent of a user in whose name an offer is consumed. */
export interface Consent {
  readonly user: string;
  /** Time of the consumption, in milliseconds since 1970: the user's name may be somebody else's later. */
  readonly since: number;
  /** UUID of the offer. */
  readonly offer: string;
  /** UUID of the model that has the offer. */
  readonly model: string;
  /** Token of the one relation that the consent allows; absent: it allows to make relations. */
  readonly relation?: string;
}

/** Macaroons that a request shows, and facts about its client that the answer needs. */
export interface Shown {
  /** A macaroon with its discharges, as JSON. */
  readonly macaroons: unknown;
  readonly bakeryVersion: number;
  /** `host:port` that the client has dialled. */
  readonly host: string;
}

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'agentKey' | 'clock' | 'randomBytes' | 'sealer'>;
}

export class OfferMacaroons {
  readonly #needs: Needs;
  readonly #keys: BoxKeys;
  readonly #derive: (what: string) => Uint8Array;

  constructor({ store, services }: Needs) {
    this.#needs = { store, services };
    // Keys are derived, so that none has to be stored: a consumer may come back after years.
    this.#derive = (what) => new Uint8Array(hkdfSync('sha256', services.agentKey, '', what, 32));
    this.#keys = boxKeys(this.#derive('grigri offer discharges'));
  }

  /** Root key of the macaroons for a model's offers, which goes with the model to other controllers. */
  rootKeyOf(model: string): Uint8Array {
    const { consents } = this.#needs.store.read().get('model', model) ?? {};
    if (!consents) return this.#derive(`grigri offers of ${model}`);
    return new Uint8Array(Buffer.from(this.#needs.services.sealer.open(consents.key), 'base64'));
  }

  /** The public key for caveats that this controller discharges, 32 bytes. */
  get publicKey(): Buffer {
    return this.#keys.publicKey;
  }

  /**
   * Mints the macaroon of a consent that is given now. It counts also when the clock was set back since the user was
   * added.
   */
  mintNow(given: Omit<Consent, 'since'>): Macaroon {
    const since = Math.max(this.#needs.services.clock.now(), this.#countsSince(given));
    return this.mint({ ...given, since });
  }

  /** Mints the macaroon of a consent. */
  mint(consent: Consent): Macaroon {
    const { clock } = this.#needs.services;
    return [timeBefore(clock.now() + validMs), ...declarations(consent)].reduce(
      addCondition,
      this.#bare(consent),
    );
  }

  /**
   * Returns the consent that a request shows for an offer, or for a relation. Errors: `unauthorized access` for
   * macaroons that are not of this controller or for something else; `macaroon discharge required` with a macaroon when
   * the time has come to ask for the user's access anew, the user has lost it, or the macaroon is of an earlier
   * release's key, with another one to keep in its place; `not valid`.
   */
  check(shown: Shown, about: Pick<Consent, 'model' | 'relation'> & { readonly offer?: string }): Consent {
    const [slice = []] = slicesFromJson([shown.macaroons]);
    const consent = this.#verified(slice, about);
    if (consent.isFresh && !consent.isEarlier && this.allows(consent)) return consent;
    throw this.#required(consent, shown);
  }

  /** Whether the user who has consumed the offer still may. */
  allows({ user: name, since, offer, model }: Consent): boolean {
    const root = this.#needs.store.read().in('');
    const user = grantee(root, name);
    if (!user || this.#countsSince({ user: name, model }) > since) return false;
    return allows(root, user, { kind: 'offer', id: offer, model }, 'consume');
  }

  /**
   * Discharges a caveat of `check`: the user may consume the offer still. Returns it in JSON as the caveat's version
   * has it. Errors: `bad request` for a caveat that is not for this controller; `unauthorized access`.
   */
  discharge({ id, caveat }: { readonly id: Uint8Array; readonly caveat: Uint8Array }): unknown {
    const { rootKey, version, consent } = this.#open(caveat);
    if (!this.allows(consent)) throw permissionDenied();
    const { clock } = this.#needs.services;
    const macaroon = [...declarations(consent), timeBefore(clock.now() + validMs)].reduce(
      addCondition,
      mint({ rootKey, id }),
    );
    return bakeryToJson(macaroon, version, namespace);
  }

  /** Time since when consents of the user count, in milliseconds since 1970. */
  #countsSince({ user, model }: Pick<Consent, 'user' | 'model'>): number {
    const root = this.#needs.store.read().in('');
    const record = root.get('user', userId(user));
    // Users of other domains have no record, and nobody here gives their names to others.
    return record ? Date.parse(countSince(record, root.get('model', model)?.consents)) : 0;
  }

  #bare({ since, offer, relation, model }: Consent): Macaroon {
    const operation = relation === undefined ? `consume ${offer}` : `relate ${relation}`;
    return mint({ rootKey: this.rootKeyOf(model), id: Buffer.from(`${since} ${operation}`) });
  }

  /** Declarations of a slice that this controller has minted, expired or not. Errors: `unauthorized access`. */
  #verified(
    slice: Slice,
    {
      model,
      offer,
      relation,
    }: { readonly model: string; readonly offer?: string; readonly relation?: string },
  ): Consent & { readonly isEarlier: boolean; readonly isFresh: boolean } {
    const { conditions, isEarlier } = this.#conditionsOf(slice, model);
    const [since, ...operation] = slice[0]!.id.toString().split(' ');
    // At time 0 nothing has expired.
    const checked = checkConditions(conditions, { now: 0 });
    if ('refusal' in checked) throw permissionDenied();
    const value = (name: string): string => checked.declared.get(name) ?? '';
    const consent: Consent = {
      user: value('username'),
      since: Number(since),
      offer: value('offer-uuid'),
      model: value('source-model-uuid'),
      ...defined({ relation }),
    };
    const wanted = relation === undefined ? `consume ${offer}` : `relate ${relation}`;
    if (operation.join(' ') !== wanted || consent.model !== model) throw permissionDenied();
    const now = this.#needs.services.clock.now();
    return { ...consent, isEarlier, isFresh: 'declared' in checkConditions(conditions, { now }) };
  }

  /** Conditions of a slice whose signatures are this controller's. Errors: `unauthorized access`. */
  #conditionsOf(slice: Slice, model: string): { readonly conditions: string[]; readonly isEarlier: boolean } {
    // Earlier releases had one key for all models: it never leaves the controller.
    const isFromElsewhere = this.#needs.store.read().get('model', model)?.consents !== undefined;
    const own = this.rootKeyOf(model);
    for (const key of [own, ...(isFromElsewhere ? [] : [this.#derive(earlierKey)])])
      try {
        return { conditions: verify(key, slice), isEarlier: key !== own };
      } catch (error) {
        if (!(error instanceof JujuError)) throw error;
      }
    throw permissionDenied();
  }

  /** The error whose macaroon counts once this controller has discharged it. */
  #required(consent: Consent & { readonly isEarlier: boolean }, { bakeryVersion, host }: Shown): JujuError {
    const version = bakeryVersion >= 3 ? 3 : 2;
    const { clock, randomBytes } = this.#needs.services;
    const rootKey = newRootKey(randomBytes);
    const { user, since, offer, model, relation, isEarlier } = consent;
    const asked = JSON.stringify({ user, since, offer, model, ...defined({ relation }) });
    const names = declarations(consent).map((condition) => condition.split(' ')[1]!);
    const id = encodeThirdPartyCaveat(
      {
        version,
        condition: needDeclared(names, `${hasPermission} ${asked}`),
        rootKey,
        namespace: version === 3 ? namespace : '',
      },
      this.#keys,
      this.#keys.publicKey,
      randomBytes,
    );
    const bare = this.#bare(consent);
    const timed = addCondition(bare, timeBefore(clock.now() + validMs));
    const location = `https://${host}/offeraccess`;
    const macaroon = addThirdParty(timed, { rootKey, id, location }, randomBytes);
    return new JujuError('macaroon discharge required', 'macaroon discharge required', {
      info: {
        macaroon: macaroonToJson(macaroon),
        'bakery-macaroon': bakeryToJson(macaroon, version, namespace),
        'macaroon-path': '/',
        ...(isEarlier && { [renewed]: macaroonToJson(this.mint(consent)) }),
      },
    });
  }

  #open(caveat: Uint8Array): { rootKey: Buffer; version: number; consent: Consent } {
    const opened = openCaveat(this.#keys, caveat);
    const { word, argument } = splitCondition(parseNeedDeclared(opened.condition).condition);
    // Anybody may encode a caveat for the public key; only this controller does so with its own.
    const isOwn = this.#keys.publicKey.equals(caveat.subarray(senderAt, senderAt + boxKeyBytes));
    if (!isOwn || word !== hasPermission) throw new JujuError('bad request', 'caveat not recognized');
    return { ...opened, consent: parseJson(argument) as Consent };
  }
}

/** Declarations of a macaroon about its consent. */
function declarations({ model, user, offer, relation }: Consent): string[] {
  return [
    declared('source-model-uuid', model),
    declared('username', user),
    declared('offer-uuid', offer),
    ...(relation === undefined ? [] : [declared('relation-key', relation)]),
  ];
}
