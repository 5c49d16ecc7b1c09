/**
 * Macaroons: credentials to which anybody may add conditions and from which nobody can take any away. Their signatures
 * are HMAC-SHA256, their verification ids NaCl's secretbox, as in libmacaroons.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { JujuError } from '../../core/errors.ts';
import { openBytes, sealBytes, type RandomBytes } from '../secretbox.ts';

/** A condition (first-party caveat), or one that somebody else has to confirm (third-party caveat). */
export interface Caveat {
  /** The condition itself, or for a third party its caveat id (third-party.ts). */
  readonly id: Buffer;
  /** The key of the discharge, for its verifier; only in caveats of third parties. */
  readonly verificationId?: Buffer;
  /** URL of the third party. */
  readonly location?: string;
}

export interface Macaroon {
  readonly location: string;
  /** The id by which the macaroon's minter finds the root key. */
  readonly id: Buffer;
  readonly caveats: readonly Caveat[];
  /** 32 bytes. */
  readonly signature: Buffer;
}

const hashBytes = 32;

/** Mints a macaroon without conditions. Whoever has the root key can verify it, and mint others. */
export function mint({
  rootKey,
  id,
  location = '',
}: {
  readonly rootKey: Uint8Array;
  readonly id: Uint8Array;
  readonly location?: string;
}): Macaroon {
  const signature = hmac(derivedKey(rootKey), id);
  return { location, id: Buffer.from(id), caveats: [], signature };
}

/** Adds a condition, such as `time-before 2026-01-01T00:00:00Z`. */
export function addCondition(macaroon: Macaroon, condition: string): Macaroon {
  return withCaveat(macaroon, { id: Buffer.from(condition) });
}

/** Adds a condition that a third party confirms by a discharge: a macaroon with this id and this root key. */
export function addThirdParty(
  macaroon: Macaroon,
  {
    rootKey,
    id,
    location,
  }: { readonly rootKey: Uint8Array; readonly id: Uint8Array; readonly location: string },
  random?: RandomBytes,
): Macaroon {
  const { nonce, box } = sealBytes(macaroon.signature, derivedKey(rootKey), random);
  return withCaveat(macaroon, {
    id: Buffer.from(id),
    verificationId: Buffer.concat([nonce, box]),
    location,
  });
}

/** Binds a discharge to the macaroon that it is sent with, so that it confirms no other. */
export function bind(root: Macaroon, discharge: Macaroon): Macaroon {
  return { ...discharge, signature: boundSignature(root.signature, discharge.signature) };
}

/** Random root key. */
export function newRootKey(random: RandomBytes = randomBytes): Buffer {
  return Buffer.from(random(24));
}

/**
 * Verifies the signatures of a macaroon and of the bound discharges behind it, each of which must be needed. Returns
 * all their conditions, which the caller checks. Errors: `not valid`.
 */
export function verify(rootKey: Uint8Array, [root, ...discharges]: readonly Macaroon[]): string[] {
  if (!root) throw invalid('there is no macaroon');
  const unused = new Set(discharges);
  const conditions: string[] = [];
  // A caveat leads to a discharge, whose own caveats may lead to others. Each counts once, which also ends the loop.
  const queue = [{ macaroon: root, key: derivedKey(rootKey) }];
  for (let entry = queue.shift(); entry; entry = queue.shift()) {
    const { macaroon, key } = entry;
    let signature = hmac(key, macaroon.id);
    for (const caveat of macaroon.caveats) {
      if (caveat.verificationId === undefined) conditions.push(caveat.id.toString());
      else {
        const opened = openVerificationId(signature, caveat.verificationId);
        if (opened === undefined) throw invalid('a caveat was changed');
        const discharge = [...unused].find(({ id }) => id.equals(caveat.id));
        if (!discharge) throw invalid('a discharge is missing');
        unused.delete(discharge);
        queue.push({ macaroon: discharge, key: opened });
      }
      signature = nextSignature(signature, caveat);
    }
    const expected = macaroon === root ? signature : boundSignature(root.signature, signature);
    if (!equal(expected, macaroon.signature)) throw invalid('the signature is wrong');
  }
  if (unused.size > 0) throw invalid('a discharge was not asked for');
  return conditions;
}

function withCaveat(macaroon: Macaroon, caveat: Caveat): Macaroon {
  return {
    ...macaroon,
    caveats: [...macaroon.caveats, caveat],
    signature: nextSignature(macaroon.signature, caveat),
  };
}

function nextSignature(signature: Buffer, { id, verificationId }: Caveat): Buffer {
  return verificationId === undefined ? hmac(signature, id) : hmacOfTwo(signature, verificationId, id);
}

function openVerificationId(signature: Buffer, verificationId: Buffer): Buffer | undefined {
  const nonce = verificationId.subarray(0, 24);
  return nonce.length < 24 ? undefined : openBytes(signature, nonce, verificationId.subarray(24));
}

function boundSignature(root: Buffer, discharge: Buffer): Buffer {
  return hmacOfTwo(Buffer.alloc(hashBytes), root, discharge);
}

/** Root keys have any length; the signing key made of one has 32 bytes. */
function derivedKey(rootKey: Uint8Array): Buffer {
  return hmac(Buffer.from('macaroons-key-generator'), rootKey);
}

function hmacOfTwo(key: Uint8Array, first: Uint8Array, second: Uint8Array): Buffer {
  return hmac(key, Buffer.concat([hmac(key, first), hmac(key, second)]));
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function invalid(reason: string): JujuError {
  return new JujuError('not valid', `macaroon not valid: ${reason}`);
}
