/** Frames of `/commands`, the command line of Juju's dashboard (wire.md#commands). */
import { z } from 'zod';
import { decoderFor } from './decode.ts';
import type { WireError } from './errors.ts';

/** Request: commands to run one after the other, for a user with its password, or with lists of macaroons. */
export const decodeUserCommands = decoderFor(
  z.object({
    user: z.string(),
    credentials: z.string(),
    macaroons: z.unknown(),
    commands: z.array(z.string()),
  }),
);

/** Piece of an answer: a line of output, or the end of a request. */
export type CommandFrame =
  | { readonly output: readonly [string] }
  | { readonly done: true; readonly error?: WireError };
