import type { EntityRef } from '../entity-ref.ts';

/** One effect of a change, in words. */
export interface HistoryEvent {
  /** The changed entity: `unit mysql/0`. */
  readonly subject: string;
  /** The effect: `created`, `life alive -> dying`. Equal for all entities that changed in the same way. */
  readonly what: string;
  /** The part of the effect that differs per entity: `on machine 3`; '' = none. */
  readonly detail: string;
  /** Entities whose history contains the event, the most specific first; the model's history contains every event. */
  readonly about: readonly EntityRef[];
  /** Set on frequent reports: statuses except errors, and among them an agent's status per hook. */
  readonly report?: 'status' | 'agent-status';
}

/** Names and facts that a change itself does not contain. */
export interface PastNames {
  /** The relation's key, `wordpress:db mysql:server`; undefined when it is no longer known. */
  relationKey(id: string): string | undefined;
  /** Whether the option's value is a secret; undefined when the charm is no longer known. */
  isSecretOption(charmUrl: string, option: string): boolean | undefined;
  /** Whether the key's value in a model's configuration is a secret. */
  isSecretModelKey(key: string): boolean;
  /** The entity that a tag names. */
  entityOfTag(tag: string): EntityRef | undefined;
}
