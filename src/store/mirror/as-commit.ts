import type { Commit } from '../store.ts';
import type { JournalCommit } from './journal.ts';

/** Converts a journal's commit to the form that watchers get. */
export function asCommit<K>({ revision, at, by, changes }: JournalCommit): Commit<K> {
  return {
    revision,
    at,
    by,
    changes: changes.map(({ space, kind, id, before, after }) => ({
      space,
      kind,
      id,
      before: before?.doc,
      after: after?.doc,
    })) as unknown as Commit<K>['changes'],
  };
}
