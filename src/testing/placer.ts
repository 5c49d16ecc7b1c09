import { createDispatch } from '../controller/watchers/dispatch.ts';
import { UnitPlacer } from '../controller/workers/unit-placer.ts';
import type { Services } from '../controller/services.ts';
import { indexes } from '../core/documents.ts';
import { systemNextTurn } from '../kit/clock.ts';
import { silentLog } from '../kit/log.ts';
import type { ModelFixture } from './model-fixture.ts';

export interface Placer {
  /** Runs a pass, as after a wake. */
  readonly pass: (signal?: AbortSignal) => Promise<void>;
  readonly stop: () => void;
  /** Number of wakes that the placer requested. */
  readonly woken: () => number;
}

/** Creates a placer of the fixture's model, in a cloud that has containers. Each call runs one pass. */
export function placerOf({ store, uuid }: Pick<ModelFixture, 'store' | 'uuid'>): Placer {
  let woken = 0;
  const placer = new UnitPlacer({
    store,
    services: {
      dispatch: createDispatch(store, indexes),
      // Members of the environment that the placer uses.
      environ: () => ({ containers: { types: ['lxd'] } }) as unknown as ReturnType<Services['environ']>,
      log: silentLog,
      nextTurn: systemNextTurn,
    },
    modelUuid: uuid,
    wake: () => void woken++,
  });
  return {
    pass: (signal = new AbortController().signal) => placer.pass(signal),
    stop: () => placer.stop(),
    woken: () => woken,
  };
}
