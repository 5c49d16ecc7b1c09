import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { RestoreNote } from '../model/restored.ts';
import type { Phase } from './phases.ts';

/**
 * The last migration of a model away from this controller (migration.md#phases). Controller space; id = the model's
 * uuid. After the migration it stays, as the answer to whoever still asks for the model here.
 */
export interface MigrationDoc {
  readonly model: string;
  /** Number of the attempt: the migration's id is `<model uuid>:<attempt>`. */
  readonly attempt: number;
  readonly phase: Phase;
  /** RFC 3339, as `endedAt`. */
  readonly startedAt: string;
  /** Time at which the phase began. */
  readonly phaseAt: string;
  readonly endedAt?: string;
  /** What is done, waited for, or was the reason to abort. */
  readonly message: string;
  readonly target: Target;
  /** Set before the target is asked to activate the model: from then on the target alone knows whose it is. */
  readonly asked?: true;
  /** Restore since the target was asked, for which the model waits if the target does not take it. */
  readonly restored?: RestoreNote;
  /** The model that is gone, with the users who are told where it is. */
  readonly moved?: { readonly name: string; readonly owner: string; readonly users: readonly string[] };
}

/** The controller that the model goes to. */
export interface Target {
  readonly uuid: string;
  /** The controller's name on the client of the user who migrates. */
  readonly alias: string;
  /** Addresses as `host:port`, tried in order. */
  readonly addresses: readonly string[];
  /** CA certificate in PEM. */
  readonly caCert: string;
  /** Tag of the superuser there. */
  readonly user: string;
  /** Password, or JSON of the macaroons, of that user: sealed, and removed when the migration has ended. */
  readonly secret?: string;
  readonly isMacaroons?: true;
  /** Set when users of the model whom the target does not have are left behind. */
  readonly skipUserChecks?: true;
}

export const migration = defineKind<MigrationDoc>()({
  space: 'controller',
  idOf: ({ model }) => model,
  quota: {
    name: ({ model }) => `migration of model ${model}`,
    measures: [
      { limit: limits.statusMessage, of: ({ message }) => message },
      { limit: limits.caCertificate, of: ({ target }) => target.caCert },
      { limit: limits.controllerAddresses, of: ({ target }) => target.addresses },
    ],
  },
  describe: (before, after, { id }) => {
    if (!after || before?.phase === after.phase) return [];
    const about = [{ kind: 'model' as const, id }];
    return [{ subject: 'model', what: `migration is in phase ${after.phase}`, detail: after.message, about }];
  },
});
