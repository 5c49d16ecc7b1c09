import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Image of a root file system; also the answer to an upload of an archive. */
export const localImage = z.strictObject({
  base: shared.baseResult,
  arch: z.string(),
  /** Size on the controller's disk in bytes. */
  size: z.int(),
  'added-at': shared.time,
});

/**
 * Extension of grigri: root file systems for machines of the controller's host whose base differs from the host's. An
 * archive is sent by HTTP: POST /local-images/<base>?sha256=<hex>.
 */
export const localImages = {
  name: 'LocalImages',
  versions: [1],
  own: true,
  on: 'controller',
  methods: {
    /** Builds an image from the packages of the base's distribution, which takes minutes. */
    Add: { params: z.object({ base: z.string() }), result: localImage },
    List: { params: shared.noParams, result: z.strictObject({ images: listOf(localImage) }) },
    Remove: { params: z.object({ base: z.string() }), result: shared.noResult },
  },
} as const satisfies FacadeSpec;
