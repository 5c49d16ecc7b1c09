/** The body of `POST /auth/form` (login.md#discharges). */
import { z } from 'zod';
import { decoderFor } from './decode.ts';

export const decodeLoginForm = decoderFor(
  z.object({ form: z.object({ user: z.string(), password: z.string() }) }),
);
