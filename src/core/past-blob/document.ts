import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * A charm's archive, or a content of a resource, that the model has used and no longer does. It is kept while the
 * history shows what used it, so that a revert can use it again (reverts.md#kept-files). Model space; id = its SHA-256.
 */
export interface PastBlobDoc {
  /** SHA-256 in hex, by which the blob is found. */
  readonly sha256: string;
  readonly size: number;
  /** What used it last: `charm local:web-3`, `resource site of web`. */
  readonly of: string;
  /** When that was last used, RFC 3339. */
  readonly endedAt: string;
}

export const pastBlob = defineKind<PastBlobDoc>()({
  space: 'model',
  idOf: ({ sha256 }) => sha256,
  indexes: { sha256: (doc) => doc.sha256 },
  quota: {
    counts: [{ limit: limits.pastBlobs, ...ofModel }],
  },
  // Whoever removes an application keeps its files, in a full model, too.
  upkeep: 'new',
});
