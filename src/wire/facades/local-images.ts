import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Also what an upload of an archive answers. */
export const localImage = z.strictObject({
  base: shared.baseResult,
  arch: z.string(),
  /** Bytes on the controller's disk. */
  size: z.int(),
  'added-at': shared.time,
});

/**
 * Ours alone, no Juju has it: the root file systems that machines of the controller's host run on when they are of
 * another base than it. An archive of one is sent by HTTP: POST /local-images/<base>?sha256=<hex>.
 */
export const localImages = {
  name: 'LocalImages',
  versions: [1],
  own: true,
  on: 'controller',
  methods: {
    /** Made of the packages of the base's distribution; that takes minutes. */
    Add: { params: z.object({ base: z.string() }), result: localImage },
    List: { params: shared.noParams, result: z.strictObject({ images: listOf(localImage) }) },
    Remove: { params: z.object({ base: z.string() }), result: shared.noResult },
  },
} as const satisfies FacadeSpec;
