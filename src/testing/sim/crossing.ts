/** Connection from a consuming model to an offering one: late, broken, or without the answer. */
import type { OfferingModel } from '../../controller/offering-model.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import type { SimProcess } from '../../forecast/world/process.ts';

const lateMs = 20_000;

/** Faults between the models of a controller's process. */
export function crossing({
  process,
  faults,
}: {
  readonly process: SimProcess;
  readonly faults: Faults;
}): (model: OfferingModel) => OfferingModel {
  const unreachable = (): Error => new Error('the offering model cannot be reached');
  const cross = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    // Killed processes neither call nor receive answers.
    if (!process.does('crossing', what)) return new Promise<T>(() => undefined);
    if (faults.happens('crossing-late'))
      await process.clock.sleep(faults.stream('crossing-late').skewed(10, lateMs));
    if (faults.happens('crossing-failed')) throw unreachable();
    const answer = await call();
    if (faults.happens('crossing-answer-lost')) throw unreachable();
    return answer;
  };
  return (model) => ({
    register: (args) => cross('register', () => model.register(args)),
    publish: (token, state) => cross('publish', () => model.publish(token, state)),
    units: (token) => cross('units', () => model.units(token)),
    read: (token, units) => cross('read', () => model.read(token, units)),
    revisions: (token, only) => cross('revisions', () => model.revisions(token, only)),
    offerStatus: (offerUuid) => cross('offer status', () => model.offerStatus(offerUuid)),
    watch: (token, changed) => model.watch(token, changed),
    watchOffers: (changed) => model.watchOffers(changed),
  });
}
