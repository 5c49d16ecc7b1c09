import { defineKind } from '../kind.ts';
import { colourOf } from '../model/summary.ts';
import { limits } from '../limits.ts';
import { type Status, statusId, type StatusKind } from '../status.ts';
import { describeStatus } from './history.ts';

/** A status. Model space; id from statusId(). */
export interface StatusDoc extends Status {
  readonly kind: StatusKind;
  readonly entity: string;
}

export const status = defineKind<StatusDoc>()({
  space: 'model',
  idOf: ({ kind, entity }) => statusId(kind, entity),
  indexes: { colour: colourOf },
  quota: {
    name: ({ kind, entity }) => (entity === '' ? kind : `${kind} ${entity}`),
    measures: [
      { limit: limits.statusMessage, members: ['message'] },
      { limit: limits.statusData, members: ['data'] },
    ],
  },
  upkeep: 'new',
  describe: describeStatus,
});
