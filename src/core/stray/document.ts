import type { HistoryEvent } from '../history/event.ts';
import { defineKind } from '../kind.ts';

/**
 * An instance with the model's tags that no machine record claims (machines.md#strays). Model space; id = instance id.
 */
export interface StrayDoc {
  readonly instanceId: string;
  /** The machine named by the instance's tag; '' = none. */
  readonly machine: string;
  /** RFC 3339: when the instance was first seen. */
  readonly since: string;
  /** Set when provisioner-harvest-mode says that the instance is to be stopped. */
  readonly stopping?: true;
}

export const stray = defineKind<StrayDoc>()({
  space: 'model',
  idOf: ({ instanceId }) => instanceId,
  upkeep: 'new',
  describe: (before, after, { id }) => {
    const strayEvent = (what: string, detail = ''): HistoryEvent => ({
      subject: `instance ${id}`,
      what,
      detail,
      about: [],
    });
    const machine = after?.machine ? `(made for machine ${after.machine})` : '';
    return [
      ...(after && !before ? [strayEvent('found without a machine', machine)] : []),
      ...(after?.stopping && !before?.stopping
        ? [strayEvent('is to be stopped, as provisioner-harvest-mode says')]
        : []),
      ...(before && !after ? [strayEvent('is no longer a stray')] : []),
    ];
  },
});
