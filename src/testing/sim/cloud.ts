import {
  createSimulatedCloud,
  type Fault,
  type SimulatedCloud,
  type SimulatedCloudOptions,
} from '../../providers/simulated/index.ts';
import type { FailureClass } from '../../core/machine/failure.ts';
import { ProviderError } from '../../providers/provider.ts';
import type { Faults } from './faults.ts';
import { createRandom } from './random.ts';
import type { FaultKind } from './world.ts';

/** Which calls each kind of failure may hit; of a start all are plausible, of others only some. */
const failures: readonly {
  readonly kind: FaultKind;
  readonly class: FailureClass;
  readonly onlyStart: boolean;
}[] = [
  { kind: 'cloud-transient', class: 'transient', onlyStart: false },
  { kind: 'cloud-zonal', class: 'zonal', onlyStart: true },
  { kind: 'cloud-quota', class: 'quota', onlyStart: true },
  { kind: 'cloud-credential', class: 'credential', onlyStart: true },
];
const slowMs = 120_000;

/** The simulated provider's cloud, with calls that take time and fail by chance. */
export function faultyCloud(options: {
  readonly seed: number;
  readonly faults: Faults;
  readonly onStart: NonNullable<SimulatedCloudOptions['onStart']>;
  readonly onStop: (instanceId: string) => void;
}): SimulatedCloud {
  const { seed, faults, onStart, onStop } = options;
  const random = createRandom(seed, 'cloud');
  return createSimulatedCloud({
    random: () => random.next(),
    latencyMs(operation) {
      const usual = operation === 'start' ? random.skewed(1_000, 20_000) : random.skewed(20, 1_000);
      return faults.happens('cloud-slow') ? usual + faults.stream('cloud-slow').skewed(1_000, slowMs) : usual;
    },
    chooseFault(operation): Omit<Fault, 'operation'> | undefined {
      for (const { kind, class: errorClass, onlyStart } of failures) {
        if (onlyStart && operation !== 'start') continue;
        if (faults.happens(kind))
          return { when: 'before', error: new ProviderError(errorClass, `simulated ${kind}`) };
      }
      if (!faults.happens('cloud-answer-lost')) return undefined;
      return { when: 'after', error: new ProviderError('transient', 'simulated cloud-answer-lost') };
    },
    onStart,
    onStop,
  });
}
