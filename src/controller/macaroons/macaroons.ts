/** Minting and checking of this controller's own macaroons, whatever they are for (login.md#macaroons). */
import { randomBytes } from 'node:crypto';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { chooseRootKey, isExpired } from '../../core/root-key/choose.ts';
import type { RootKeyDoc } from '../../core/root-key/document.ts';
import { checkConditions, timeBefore } from '../../kit/macaroon/conditions.ts';
import { addCondition, mint, newRootKey, verify, type Macaroon } from '../../kit/macaroon/macaroon.ts';
import type { Slice } from '../../kit/macaroon/slices.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { keepRootKey } from '../transactions/set/keep-root-key.ts';

/** Services with which macaroons are minted and checked. */
export interface Mint {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'sealer'>;
}

/** Prefixes of conditions, by who defines them; as Juju has them. */
export const namespace = 'github.com/juju/juju: std:';

/**
 * Mints a macaroon for an operation (`login`): it allows nothing else. It has the conditions, and expires after
 * `validMs`. The store gets a root key where none lives that long.
 */
export async function mintMacaroon(
  { store, services }: Mint,
  {
    operation,
    validMs,
    conditions = [],
  }: { readonly operation: string; readonly validMs: number; readonly conditions?: readonly string[] },
): Promise<Macaroon> {
  const now = services.clock.now();
  const key =
    chooseRootKey(store.read().in('').list('root-key'), { now, validMs }) ??
    (await newKey({ store, services }, validMs));
  const nonce = randomBytes(12).toString('hex');
  const bare = mint({
    rootKey: openKey(services, key),
    id: Buffer.from([key.id, String(now), nonce, operation].join(' ')),
  });
  return [timeBefore(now + validMs), ...conditions].reduce(addCondition, bare);
}

/** Result of a check: what the macaroons declare, by name, and when the first was minted; or why they do not count. */
type CheckedSlices =
  | { readonly declared: ReadonlyMap<string, string>; readonly mintedAt: number }
  | { readonly refusal: string };

/**
 * Finds the first slice that allows the operation. `holds` decides on conditions that are not of every macaroon
 * (checkConditions). Errors: none; the refusal is that of the last slice.
 */
export function checkSlices(
  mint: Mint,
  slices: readonly Slice[],
  check: { readonly operation: string; readonly holds?: (condition: string) => boolean },
): CheckedSlices {
  let result: CheckedSlices = { refusal: 'no macaroons' };
  for (const slice of slices) {
    result = checkSlice(mint, slice, check);
    if ('declared' in result) return result;
  }
  return result;
}

function checkSlice(
  { store, services }: Mint,
  slice: Slice,
  { operation, ...check }: { readonly operation: string; readonly holds?: (condition: string) => boolean },
): CheckedSlices {
  const now = services.clock.now();
  const [keyId = '', mintedAt, , ...words] = (slice[0]?.id.toString() ?? '').split(' ');
  const key = store.read().in('').get('root-key', keyId);
  if (!key || isExpired(key, now)) return { refusal: 'macaroon has expired, or is not of this controller' };
  try {
    const conditions = verify(openKey(services, key), slice);
    if (words.join(' ') !== operation) return { refusal: 'macaroon is for something else' };
    const checked = checkConditions(conditions, { ...check, now });
    return 'refusal' in checked ? checked : { ...checked, mintedAt: Number(mintedAt) };
  } catch (error) {
    if (error instanceof JujuError) return { refusal: error.message };
    throw error;
  }
}

function newKey({ store, services }: Mint, validMs: number): Promise<RootKeyDoc> {
  const id = randomBytes(16).toString('hex');
  const sealedKey = services.sealer.seal(newRootKey().toString('base64'));
  return store.change((tx) => keepRootKey(tx, { id, sealedKey, validMs }), 'macaroons');
}

function openKey({ sealer }: Mint['services'], { sealedKey }: RootKeyDoc): Buffer {
  return Buffer.from(sealer.open(sealedKey), 'base64');
}
