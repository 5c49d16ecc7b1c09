import type { HistoryEvent } from '../history/event.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { Made } from '../model-file/ownership.ts';

/** The reader of a secret: an application with all of its units, or one unit. */
export interface SecretSubject {
  readonly kind: 'application' | 'unit';
  readonly id: string;
}

/** A right to read a secret. Model space; id = `<secret> <kind> <subject>`. */
export interface SecretGrantDoc extends Made {
  readonly secret: string;
  readonly subject: SecretSubject;
  /** The id of the relation with which the right ends; '' = the model's own secret. */
  readonly relation: string;
}

export function secretGrantId({ secret, subject }: Pick<SecretGrantDoc, 'secret' | 'subject'>): string {
  return `${secret} ${subject.kind} ${subject.id}`;
}

export const secretGrant = defineKind<SecretGrantDoc>()({
  space: 'model',
  idOf: secretGrantId,
  indexes: {
    secret: (doc) => doc.secret,
    subject: ({ subject }) => `${subject.kind} ${subject.id}`,
    relation: ({ relation }) => (relation === '' ? undefined : relation),
  },
  quota: {
    counts: [
      {
        limit: limits.secretGrants,
        index: 'secret',
        value: ({ secret }) => secret,
        whose: ({ secret }) => `secret ${secret}`,
      },
    ],
  },
  upkeep: 'old',
  describe: (before, after) => {
    const { secret, subject } = (after ?? before)!;
    if (before && after) return [];
    const event: HistoryEvent = {
      subject: `secret ${secret}`,
      what: `${after ? 'granted to' : 'no longer granted to'} ${subject.kind} ${subject.id}`,
      detail: '',
      about: [subject],
    };
    return [event];
  },
});
