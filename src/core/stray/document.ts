import type { HistoryEvent } from '../history/event.ts';
import { defineKind } from '../kind.ts';

/**
 * Model space; id = instance id: an instance with the model's tags that no machine record claims (machines.md#strays).
 */
export interface StrayDoc {
  readonly instanceId: string;
  /** The machine that its tag names, '' when there is none. */
  readonly machine: string;
  /** RFC 3339: when it was first seen. */
  readonly since: string;
  /** It is to be stopped, as provisioner-harvest-mode says. */
  readonly stopping?: true;
}

export const stray = defineKind<StrayDoc>()({
  space: 'model',
  idOf: ({ instanceId }) => instanceId,
  upkeep: 'new',
  describe: (before, after, { id }) => {
    const said = (what: string, detail = ''): HistoryEvent => ({
      subject: `instance ${id}`,
      what,
      detail,
      about: [],
    });
    const machine = after?.machine ? `(made for machine ${after.machine})` : '';
    return [
      ...(after && !before ? [said('found without a machine', machine)] : []),
      ...(after?.stopping && !before?.stopping
        ? [said('is to be stopped, as provisioner-harvest-mode says')]
        : []),
      ...(before && !after ? [said('is a stray no longer')] : []),
    ];
  },
});
