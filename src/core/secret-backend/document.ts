import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { all } from '../quota.ts';
import type { BackendConfig } from './config.ts';

/** A place outside of the controller where models keep contents of secrets. Controller space; id = uuid. */
export interface SecretBackendDoc {
  readonly id: string;
  readonly name: string;
  readonly type: 'vault';
  /** Configuration, in which secret values are sealed. */
  readonly config: BackendConfig;
  /** How often the backend's token is replaced, in milliseconds; absent = never. */
  readonly tokenRotate?: number;
  /** When the token is replaced next, RFC 3339. */
  readonly nextTokenRotate?: string;
  /** Whether the token was made by the controller, which revokes it when it is replaced. */
  readonly ownToken?: true;
}

export const secretBackend = defineKind<SecretBackendDoc>()({
  space: 'controller',
  idOf: ({ id }) => id,
  indexes: {
    name: ({ name }) => name,
    /** Backends whose token a worker replaces. */
    timed: ({ nextTokenRotate }) => (nextTokenRotate === undefined ? undefined : 'timed'),
  },
  quota: {
    counts: [{ limit: limits.secretBackends, ...all, whose: () => 'the controller' }],
  },
});
