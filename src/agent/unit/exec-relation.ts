/** Chooses the relation in whose context `juju-exec -r` runs its commands (operations.md#exec-in-a-relation). */
import { JujuError } from '../../core/errors.ts';
import { compareNames } from '../../core/names.ts';

export interface ExecRelationRequest {
  /** Relation as `db:7` or `7`. */
  readonly relation: string;
  readonly remoteUnit?: string | undefined;
  readonly remoteApplication?: string | undefined;
  /** Allows a remote unit that is missing, and no remote unit at all. */
  readonly force: boolean;
}

interface ExecRelation<R> {
  readonly id: number;
  readonly relation: R;
  /** Remote unit; absent: the command is about the whole application. */
  readonly remoteUnit?: string;
}

/** Parses the number of a relation as a user writes it. Errors: `not valid`. */
function relationNumber(text: string): number {
  const digits = /^(?:.*:)?(\d{1,15})$/s.exec(text)?.[1];
  if (digits === undefined)
    throw new JujuError(
      'not valid',
      `invalid value ${JSON.stringify(text)} for option -r: invalid relation id`,
    );
  return Number(digits);
}

/**
 * Chooses the remote unit: the named one, or the only one when none is named. Errors: `not found` for a relation whose
 * scope the unit is not in, and for a remote unit that is missing or ambiguous.
 */
export function execRelation<R extends { readonly members: Readonly<Record<string, unknown>> }>(
  request: ExecRelationRequest,
  relations: Readonly<Record<string, R>>,
): ExecRelation<R> {
  const id = relationNumber(request.relation);
  const relation = Object.hasOwn(relations, id) ? relations[id] : undefined;
  if (!relation) throw new JujuError('not found', `unknown relation id: ${id}`);
  const { remoteUnit, remoteApplication, force } = request;
  const members = Object.keys(relation.members).sort(compareNames);
  const possible = `possibilities are [${members.join(' ')}]`;
  if (remoteUnit !== undefined) {
    if (!force && !members.includes(remoteUnit))
      throw new JujuError('not found', `unknown remote unit ${remoteUnit}; ${possible}`);
    return { id, relation, remoteUnit };
  }
  if (force || remoteApplication !== undefined) return { id, relation };
  const [only, ...others] = members;
  if (only === undefined)
    throw new JujuError('not found', `cannot infer remote unit in empty relation ${id}`);
  if (others.length > 0) throw new JujuError('not found', `ambiguous remote unit; ${possible}`);
  return { id, relation, remoteUnit: only };
}
