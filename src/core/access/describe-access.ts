import type { Describe } from '../kind.ts';

/** The members that documents of every kind of access have in common. */
interface Grant {
  readonly user: string;
  readonly access: string;
}

/**
 * Describes changes of a user's access: `user bob has write access`. `subject`: what it is access to. `modelOf`: the
 * model whose history tells of it, if any.
 */
export function describeAccess<D extends Grant>(
  subject: (doc: D) => string,
  modelOf?: (doc: D) => string,
): Describe<D> {
  return (before, after) => {
    const doc = after ?? before;
    if (!doc || before?.access === after?.access) return [];
    const change = after ? `has ${after.access} access` : 'no longer has access';
    return [
      {
        subject: subject(doc),
        what: `user ${doc.user} ${change}`,
        detail: '',
        about: modelOf ? [{ kind: 'model', id: modelOf(doc) }] : [],
      },
    ];
  };
}
