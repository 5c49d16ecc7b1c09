import { Cleaner } from '../controller/workers/cleaner.ts';
import { createDispatch } from '../controller/watchers/dispatch.ts';
import { indexes } from '../core/documents.ts';
import { systemNextTurn } from '../kit/clock.ts';
import { createLog, type LogRecord } from '../kit/log.ts';
import { ManualClock } from './manual-clock.ts';
import type { ModelFixture } from './model-fixture.ts';

/** Returns the fixture's cleaner, on the fixture's clock. Each call runs one pass. */
export function cleanerOf(
  model: ModelFixture,
  onLog: (record: LogRecord) => void = () => undefined,
): (signal?: AbortSignal) => Promise<number | void> {
  const cleaner = new Cleaner({
    store: model.store,
    services: {
      clock: Object.assign(new ManualClock(), { now: model.now }),
      dispatch: createDispatch(model.store, indexes),
      log: createLog('test', onLog, model.now),
      nextTurn: systemNextTurn,
    },
    modelUuid: model.uuid,
  });
  return (signal = new AbortController().signal) => cleaner.pass(signal);
}
