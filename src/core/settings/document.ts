import type { EntityRef } from '../entity-ref.ts';
import { changedKeys } from '../history/values.ts';
import { relationName, relationRef } from '../history/words.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { sumsOfTellers, toldBy, type ByTeller } from '../relation/told-by.ts';

/** A databag, readable until its relation is gone. Model space; id = `<relation id>#<unit or application>`. */
export interface SettingsDoc extends ByTeller {
  readonly relation: string;
  readonly owner: string;
  readonly values: Readonly<Record<string, string>>;
  /** Version, which grows with every change of the values. */
  readonly version: number;
}

/** The id `<relation id>#<unit or application>`. */
export function settingsId({
  relation,
  owner,
}: {
  readonly relation: string | number;
  readonly owner: string;
}): string {
  return `${relation}#${owner}`;
}

export const settings = defineKind<SettingsDoc>()({
  space: 'model',
  idOf: settingsId,
  indexes: {
    relation: (doc) => doc.relation,
    toldBy,
    side: (doc) => `${doc.relation} ${doc.owner.split('/')[0]!}`,
  },
  quota: {
    name: ({ owner, relation }) => `${owner} in relation ${relation}`,
    measures: [
      { limit: limits.databag, members: ['values'] },
      { limit: limits.databagKeys, of: ({ values }) => values },
    ],
    sums: sumsOfTellers(limits.settingsOfConsumer, limits.settingsOfConsumers),
  },
  describe: (before, after, { names }) => {
    const settings = after ?? before;
    // The removal of a databag with its relation or unit is not described.
    const keys = after ? changedKeys(before?.values, after.values) : '';
    if (!settings || keys === '') return [];
    const owner: EntityRef = {
      kind: settings.owner.includes('/') ? 'unit' : 'application',
      id: settings.owner,
    };
    return [
      {
        subject: `${owner.kind} ${owner.id}`,
        what: `data in ${relationName(settings.relation, names)}: ${keys}`,
        detail: '',
        about: [owner, relationRef(settings.relation)],
      },
    ];
  },
});
