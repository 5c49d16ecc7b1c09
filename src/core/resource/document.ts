import type { EntityRef } from '../entity-ref.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * Content of a charm's resource: the content that an application uses now, or (with a pending id) one that was
 * announced for a deploy or a refresh. A resource without a record has no content yet. Model space.
 */
export interface ResourceDoc {
  readonly application: string;
  readonly name: string;
  /** Set until a deploy or a refresh takes the content. */
  readonly pendingId?: string;
  /** The charm that a pending resource was announced for. */
  readonly charmUrl?: string;
  readonly origin: 'upload' | 'store';
  readonly revision: number;
  /** SHA-384 of the content, in hex; '' = announced, and not uploaded yet. */
  readonly fingerprint: string;
  /** SHA-256 of the content, in hex, by which its blob is found; '' as for `fingerprint`. */
  readonly sha256: string;
  readonly size: number;
  /** Name of the user who uploaded the content. */
  readonly username: string;
  /** Time of the upload, or of the announcement (RFC 3339). */
  readonly timestamp: string;
}

/** `app/name`, or `app/name/<pending id>`. */
export function resourceId(doc: Pick<ResourceDoc, 'application' | 'name' | 'pendingId'>): string {
  const id = `${doc.application}/${doc.name}`;
  return doc.pendingId === undefined ? id : `${id}/${doc.pendingId}`;
}

export const resource = defineKind<ResourceDoc>()({
  space: 'model',
  idOf: resourceId,
  indexes: {
    application: (doc) => (doc.pendingId === undefined ? doc.application : undefined),
    pending: (doc) => (doc.pendingId === undefined ? undefined : 'pending'),
    sha256: (doc) => doc.sha256 || undefined,
  },
  findRemovedBy: ['application'],
  quota: {
    name: ({ application, name }) => `resource ${name} of application ${application}`,
    counts: [
      { limit: limits.resources, ...ofModel },
      {
        limit: limits.pendingResources,
        index: 'pending',
        value: ({ pendingId }) => (pendingId === undefined ? undefined : 'pending'),
        whose: () => 'the model',
      },
    ],
  },
  describe: (before, after) => {
    const doc = (after ?? before)!;
    if (doc.pendingId !== undefined || before?.sha256 === after?.sha256) return [];
    const self: EntityRef = { kind: 'application', id: doc.application };
    const what = `resource ${doc.name} ${after ? 'uploaded' : 'removed'}`;
    const detail = after ? `${after.size} bytes, SHA-384 ${after.fingerprint.slice(0, 12)}` : '';
    return [{ subject: `application ${doc.application}`, what, detail, about: [self] }];
  },
});
