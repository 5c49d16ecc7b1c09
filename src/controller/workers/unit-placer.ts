/**
 * Gives units their machines when the requirements of their application are met (core/requirements): until then they
 * wait without one. In batches, an application's units in the order of their numbers.
 */
import type { Entities } from '../../core/kinds.ts';
import { isUnitName, unitApplication } from '../../core/names.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { placeWaiting } from '../transactions/place-waiting.ts';
import { settleRequirements } from '../transactions/requirements.ts';
import { inBatches } from './in-batches.ts';

const by = 'unit-placer';
const batch = 100;

export function createUnitPlacer(needs: {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch' | 'environ' | 'log' | 'nextTurn'>;
  readonly modelUuid: string;
  readonly wake: () => void;
}): {
  pass: (signal: AbortSignal) => Promise<void>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.unit-placer');
  const view = store.read().in(modelUuid);
  /** Applications, and single units. */
  const dirty = new DirtyIds(() => [...view.list('application')].map(({ name }) => name));
  const add = (ids: Iterable<string>): void => {
    if (dirty.add(ids) > 0) needs.wake();
  };
  const stops = [
    services.dispatch.on(modelUuid, 'application', ({ id, before, after }) => {
      if (before?.pending && after && !after.pending) add([id]);
    }),
    // Subordinates that had lost their principal have it again.
    services.dispatch.on(modelUuid, 'relation', ({ before, after }) => {
      const endpoints = before ? [] : (after?.endpoints ?? []);
      if (endpoints[0]?.scope === 'container') add(endpoints.map(({ application }) => application));
    }),
    // What prevents units from being placed there may be another thing now.
    services.dispatch.on(modelUuid, 'machine', ({ id, before, after }) => {
      const isOther = before?.life !== after?.life;
      if (!isOther || view.count('unit', 'named', id) === 0) return;
      const stuck = [...view.find('unit', 'named', id)].filter(
        ({ unplaced }) => unplaced?.problem !== undefined,
      );
      add(stuck.map(({ name }) => name));
    }),
  ];

  /** Of those that were deployed before there were requirements, these have one: nobody has settled them. */
  async function settleOld(): Promise<void> {
    const names = [...view.list('application')].flatMap(({ name, subordinate, pending }) =>
      subordinate && !pending ? [name] : [],
    );
    if (names.length > 0) await store.change((tx) => settleRequirements(tx.in(modelUuid), names), by);
  }

  async function place(units: Iterable<string>, signal: AbortSignal): Promise<void> {
    const { containers } = services.environ(modelUuid, view);
    const containerTypes = containers?.types ?? [];
    await inBatches(units, batch, signal, async (names) => {
      const placed = await store.change(
        (tx) => placeWaiting(tx.in(modelUuid), { units: names, containerTypes }),
        by,
      );
      for (const [application, count] of placed)
        log.info('requirements met, units placed', { application, units: count });
    });
  }

  /** Those of an application are found in the order in which they were made: that of their numbers. */
  function* unplacedOf(ids: readonly string[]): Generator<string> {
    const groups = Map.groupBy(ids, (id) => (isUnitName(id) ? unitApplication(id) : id));
    for (const [name, members] of groups) {
      if (!isReady(name)) continue;
      if (!members.includes(name)) yield* members;
      else for (const unit of view.find('unit', 'unplaced', name)) yield unit.name;
    }
  }

  function isReady(name: string): boolean {
    const application = view.get('application', name);
    return application?.life === 'alive' && !application.pending && view.count('unit', 'unplaced', name) > 0;
  }

  return {
    async pass(signal) {
      if (dirty.isEmpty) return;
      // The turn in which the requirements were met is that of an answer.
      await new Promise<void>((resolve) => services.nextTurn(resolve));
      await dirty.take(async (ids, all) => {
        if (all) await settleOld();
        const units = [...unplacedOf(ids)];
        if (units.length > 0) await place(units, signal);
      });
    },
    stop() {
      for (const end of stops) end();
    },
  };
}
