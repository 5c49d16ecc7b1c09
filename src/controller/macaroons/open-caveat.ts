import { JujuError } from '../../core/errors.ts';
import type { BoxKeys } from '../../kit/box.ts';
import { decodeThirdPartyCaveat, type ThirdPartyCaveat } from '../../kit/macaroon/third-party.ts';

/** The caveat that a client wants discharged. Errors: `bad request` for one that is not for these keys. */
export function openCaveat(keys: BoxKeys, caveat: Uint8Array): ThirdPartyCaveat {
  try {
    return decodeThirdPartyCaveat(keys, caveat);
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError('bad request', error.message, { cause: error });
  }
}
