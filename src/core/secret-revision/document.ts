import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { readContentKey } from '../secret/content-key.ts';

/** A revision of a secret. Its content is elsewhere (secrets.md#at-rest). Model space; id = `<secret>/<revision>`. */
export interface SecretRevisionDoc {
  readonly secret: string;
  readonly revision: number;
  /** The key by which the content is found (joinContentKey). */
  readonly content: string;
  readonly createdAt: string;
  /** When the revision expires, RFC 3339. */
  readonly expires?: string;
  /** When the owner is to be told next that the revision has expired. */
  readonly nextExpiry?: string;
  /** Set when the owner is to be told now that the revision has expired: the time that this was due at. */
  readonly expiring?: string;
  /** Whether nobody tracks the revision and a newer one exists. */
  readonly obsolete: boolean;
  /** The unit that secret-remove has told that the revision is obsolete: the owner, or its leader then. */
  readonly told?: string;
}

export function secretRevisionId({
  secret,
  revision,
}: Pick<SecretRevisionDoc, 'secret' | 'revision'>): string {
  return `${secret}/${revision}`;
}

export const secretRevision = defineKind<SecretRevisionDoc>()({
  space: 'model',
  idOf: secretRevisionId,
  indexes: {
    secret: (doc) => doc.secret,
    content: (doc) => doc.content,
    /** Revisions of which the owner is to be told something, by secret. */
    due: ({ secret, obsolete, expiring }) => (obsolete || expiring !== undefined ? secret : undefined),
    told: ({ told }) => told,
    /** Revisions by the backend that has the content: its id, or `internal`. */
    backend: ({ content }) => readContentKey(content).backend || 'internal',
    /** Revisions that a worker waits for. */
    timed: ({ nextExpiry, expiring }) =>
      nextExpiry !== undefined && expiring === undefined ? 'timed' : undefined,
  },
  quota: {
    counts: [
      {
        limit: limits.secretRevisions,
        index: 'secret',
        value: ({ secret }) => secret,
        whose: ({ secret }) => `secret ${secret}`,
      },
    ],
  },
  upkeep: 'old',
});
