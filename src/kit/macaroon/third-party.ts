/**
 * Ids of third parties' caveats, as macaroon-bakery encodes them (versions 2 and 3): the condition and the root key of
 * the discharge, in a box that only the third party opens.
 */
import { JujuError } from '../../core/errors.ts';
import { boxKeyBytes, sharedKey, type BoxKeys } from '../box.ts';
import { openBytes, sealBytes, secretboxNonceBytes, type RandomBytes } from '../secretbox.ts';
import { ByteReader, sized } from './bytes.ts';

export interface ThirdPartyCaveat {
  /** Version of the encoding; 3 also has a namespace. */
  readonly version: 2 | 3;
  readonly condition: string;
  /** Root key of the discharge. */
  readonly rootKey: Buffer;
  /** Prefixes of conditions by the URIs that define the conditions, as `uri:prefix uri:prefix`. */
  readonly namespace: string;
}

const keyPrefixBytes = 4;

/** Encodes a caveat for the owner of the public key `to`. Errors: `not valid` for a public key that is none. */
export function encodeThirdPartyCaveat(
  { version, condition, rootKey, namespace }: ThirdPartyCaveat,
  from: BoxKeys,
  to: Uint8Array,
  random?: RandomBytes,
): Buffer {
  const shared = sharedKey(from, to);
  if (!shared) throw new JujuError('not valid', 'public key not valid');
  const secret = Buffer.concat([
    Buffer.from([version]),
    sized(rootKey),
    version === 3 ? sized(Buffer.from(namespace)) : Buffer.alloc(0),
    Buffer.from(condition),
  ]);
  const { nonce, box } = sealBytes(shared, secret, random);
  return Buffer.concat([Buffer.from([version]), to.subarray(0, keyPrefixBytes), from.publicKey, nonce, box]);
}

/**
 * Decodes a caveat that was encoded for `key`. Errors: `not valid`, also for one of another version or for another key.
 */
export function decodeThirdPartyCaveat(key: BoxKeys, bytes: Uint8Array): ThirdPartyCaveat {
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  if (version !== 2 && version !== 3) throw invalid('unknown version');
  if (!reader.take(keyPrefixBytes).equals(key.publicKey.subarray(0, keyPrefixBytes)))
    throw invalid('it is for another public key');
  const shared = sharedKey(key, reader.take(boxKeyBytes));
  const secret = shared && openBytes(shared, reader.take(secretboxNonceBytes), reader.rest());
  if (!secret) throw invalid('it cannot be decrypted');
  const inner = new ByteReader(secret);
  if (inner.byte() !== version) throw invalid('two versions');
  const rootKey = inner.sized();
  const namespace = version === 3 ? inner.sized().toString() : '';
  return { version, rootKey, namespace, condition: inner.rest().toString() };
}

function invalid(reason: string): JujuError {
  return new JujuError('not valid', `caveat not valid: ${reason}`);
}
