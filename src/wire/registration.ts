/** Bodies of `POST /register` (login.md#registration). Bytes are in base64. */
import { z } from 'zod';
import { decoderFor } from './decode.ts';

const sealed = { nonce: z.string(), 'cipher-text': z.string() };

/** Request: the sealed content is `{"password": …}`. */
export const decodeRegistration = decoderFor(z.object({ user: z.string(), ...sealed }));
export const decodeRegistrationSecret = decoderFor(z.object({ password: z.string() }));

/** Answer: the sealed content, by the same key, describes the controller. */
export const decodeRegistrationAnswer = decoderFor(z.object(sealed));
export const decodeRegisteredController = decoderFor(
  z.object({ 'ca-cert': z.string(), 'controller-uuid': z.string() }),
);
