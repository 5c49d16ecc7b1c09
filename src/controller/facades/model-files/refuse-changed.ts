import { accessId } from '../../../core/access/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { declares } from '../../../core/model-file/declared-change.ts';
import { parseUserTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { pauseOf } from '../shared/pause.ts';
import type { DocumentKey } from '../../../store/store.ts';

/** Number of changes of a commit that are looked at; a larger one counts as a change. */
const changesMax = 500;

/**
 * Refuses a plan that was made for the revision when users have changed what is declared since. Returns the revision up
 * to which they have not. Errors: '' with the change; `not valid` for a revision that is unknown.
 */
export async function refuseChanged(call: Call, model: string, revision: number): Promise<number> {
  const { store } = call;
  if (revision > store.read().revision)
    throw new JujuError('not valid', `revision ${revision} of the plan is in the future`);
  if (revision < store.horizon.revision)
    throw new JujuError(
      'not valid',
      `revision ${revision} of the plan is older than the history of the controller: make a new plan`,
    );
  const pause = pauseOf(call);
  let after = revision;
  // Others go on while this looks: it ends when there is nothing more to look at.
  for (let now = store.read().revision; after < now; now = store.read().revision) {
    for (const commit of store.past({ ...documentsOf(store, model), after, upTo: now })) {
      if (
        commit.total > changesMax ||
        commit.changes(changesMax).some((change) => declares(commit.by, change))
      )
        throw staleness(revision, commit);
      await pause();
    }
    after = now;
  }
  return after;
}

function staleness(
  revision: number,
  { revision: newer, at, by }: { revision: number; at: string; by: string },
): JujuError {
  return new JujuError(
    '',
    `model has changed since its plan was made (revision ${revision}): ${parseUserTag(by)} changed it at ${at} (revision ` +
      `${newer}); make a new plan`,
  );
}

/** Documents of the model: those in its space, its record, and its users' access. */
function documentsOf(store: Call['store'], model: string): { space: string; documents: DocumentKey[] } {
  const users = [...store.read().in('').find('access', 'model', model)].map(accessId);
  const documents = [...new Set([...users, ...store.removed('', 'access', 'model', model)])].map((id) => ({
    space: '',
    kind: 'access',
    id,
  }));
  return { space: model, documents: [{ space: '', kind: 'model', id: model }, ...documents] };
}
