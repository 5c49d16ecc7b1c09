import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { listOf, noResult, version } from './shared.ts';

/** Files of a program; `sha256` in hex, `size` in bytes. */
const files = z.array(z.object({ name: z.string(), sha256: z.string(), size: z.number().min(0) }));

/** Extension of grigri: programs of the controller (upgrades.md). Files are sent by PUT of /programs/<sha256>. */
export const controllerPrograms = {
  name: 'ControllerPrograms',
  own: true,
  versions: [1],
  on: 'controller',
  methods: {
    /** The running program, and what is to be sent of another one; no files = none is meant. */
    Plan: {
      params: z.object({ files }),
      result: z.strictObject({
        version,
        arch: z.string(),
        /** Build of the running program. */
        build: z.string(),
        /** Program that did not come up the last time that one was tried. */
        failed: z.strictObject({ build: z.string(), message: z.string() }).optional(),
        /** Build of the files. */
        planned: z.string().optional(),
        /** SHA-256 of files that are to be sent. */
        missing: listOf(z.string()),
      }),
    },
    /** Ends the controller and starts it with the program, or with the present one when that does not come up. */
    Upgrade: { params: z.object({ files }), result: noResult },
  },
} as const satisfies FacadeSpec;
