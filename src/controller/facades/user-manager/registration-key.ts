import { randomBytes } from 'node:crypto';
import { secretboxKeyBytes } from '../../../kit/secretbox.ts';
import type { Call } from '../../facade.ts';

/** A new key by which a user registers: in base64 for the user, and sealed for its record. */
export function newRegistrationKey(call: Call): { readonly key: string; readonly sealed: string } {
  const key = randomBytes(secretboxKeyBytes).toString('base64');
  return { key, sealed: call.services.sealer.seal(key) };
}
