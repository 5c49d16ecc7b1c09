import type { EntityRef } from '../entity-ref.ts';
import { changedKeys } from '../history/values.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';

/** The values set by leader-set. Model space; id = application. */
interface LeaderSettingsDoc {
  readonly application: string;
  readonly values: Readonly<Record<string, string>>;
  readonly version: number;
}

export const leaderSettings = defineKind<LeaderSettingsDoc>()({
  space: 'model',
  idOf: ({ application }) => application,
  quota: {
    name: ({ application }) => `the leader of ${application}`,
    measures: [
      { limit: limits.databag, members: ['values'] },
      { limit: limits.databagKeys, of: ({ values }) => values },
    ],
  },
  describe: (before, after, { id }) => {
    const keys = after ? changedKeys(before?.values, after.values) : '';
    if (keys === '') return [];
    const about: EntityRef = { kind: 'application', id };
    return [{ subject: `application ${id}`, what: `leader settings: ${keys}`, detail: '', about: [about] }];
  },
});
