import type { Entities, Kind } from '../kinds.ts';
import type { EntityRef } from '../entity-ref.ts';

/** One document's change; absent = there was, or is, none. */
export type PastChange = {
  [P in Kind]: {
    readonly kind: P;
    readonly id: string;
    readonly before: Entities[P] | undefined;
    readonly after: Entities[P] | undefined;
  };
}[Kind];

/** One thing that a change did, in words. */
export interface HistoryEvent {
  /** What it was done to: `unit mysql/0`. */
  readonly subject: string;
  /** `created`, `life alive -> dying`. The same for all to which the same was done. */
  readonly what: string;
  /** What is this one's own: `on machine 3`; '' for nothing. */
  readonly detail: string;
  /** Whose history it is in, the most its own first; the model's it is always in. */
  readonly about: readonly EntityRef[];
  /** What is said again and again: statuses but errors, and among them what an agent does hook by hook. */
  readonly report?: 'status' | 'agent-status';
}

/** What a change itself does not say. */
export interface PastNames {
  /** `wordpress:db mysql:server`; undefined when that is forgotten. */
  relationKey(id: string): string | undefined;
  /** Is the option's value a secret? Undefined when the charm is forgotten. */
  isSecretOption(charmUrl: string, option: string): boolean | undefined;
  /** Is the key's value in a model's configuration a secret? */
  isSecretModelKey(key: string): boolean;
  /** Whom an annotation is about. */
  entityOfTag(tag: string): EntityRef | undefined;
}
