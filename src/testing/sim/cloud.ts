import {
  SimulatedCloud,
  operations,
  type Fault,
  type Operation,
  type SimulatedCloudOptions,
} from '../../providers/clouds/simulated/index.ts';
import type { FailureClass } from '../../core/machine/failure.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import { otherSubnets } from './spaces.ts';
import { createRandom } from '../../forecast/world/random.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';
import type { WorldDurations } from './world.ts';

export const zoneNames = ['zone1', 'zone2', 'zone3'] as const;
/** Memory in MiB that no machine of the cloud has. */
export const tooMuchMem = 1_048_576;

const failures: readonly { readonly kind: FaultKind; readonly class: FailureClass }[] = [
  { kind: 'cloud-transient', class: 'transient' },
  { kind: 'cloud-zonal', class: 'zonal' },
  { kind: 'cloud-quota', class: 'quota' },
  { kind: 'cloud-credential', class: 'credential' },
  { kind: 'cloud-bad-request', class: 'bad request' },
];
const lost: FaultKind = 'cloud-answer-lost';
const slowMs = 120_000;
/** Time in milliseconds within which a hanging call is carried out, or never. */
const hungMs = 15 * 60_000;

/**
 * Operations that fail for each reason. Operations that are not about machines may be unreachable, but never lack a
 * zone.
 */
const ofMachines: readonly Operation[] = ['start', 'start group', 'stop', 'list', 'get', 'zones', 'address'];

/** Counters of failed calls, `quota at start group`, all zero. */
function noCalls(): Record<string, number> {
  const names = operations.flatMap((operation) => [
    ...failures.filter((one) => mayFail(one.class, operation)).map((one) => callName(one.kind, operation)),
    callName(lost, operation),
  ]);
  return Object.fromEntries(names.map((name) => [name, 0]));
}

/** Creates the simulated provider's cloud, with calls that take time and fail at random. */
export function faultyCloud(
  options: {
    readonly seed: number;
    readonly faults: Faults;
    readonly durations: WorldDurations | undefined;
    /** Message with which every start fails, for a reason that may pass; undefined = no such outage. */
    readonly outage: () => string | undefined;
  } & Required<Pick<SimulatedCloudOptions, 'onStart' | 'onStop' | 'onRestart' | 'onVolume' | 'wait'>>,
): SimulatedCloud {
  const { seed, faults, durations, outage, onStart, onStop, onRestart, onVolume, wait } = options;
  const random = createRandom(seed, 'cloud');
  Object.assign(faults.calls, noCalls());
  const note = (kind: FaultKind, operation: Operation): void => {
    const name = callName(kind, operation);
    faults.calls[name] = (faults.calls[name] ?? 0) + 1;
  };
  return new SimulatedCloud({
    zones: zoneNames,
    networks: otherSubnets,
    random: () => random.next(),
    latencyMs(operation) {
      const isStart = operation === 'start' || operation === 'start group';
      if (durations) return isStart ? durations.ofStart : durations.ofOtherCalls;
      const usual = isStart ? random.skewed(1_000, 20_000) : random.skewed(20, 1_000);
      return faults.happens('cloud-slow') ? usual + faults.stream('cloud-slow').skewed(1_000, slowMs) : usual;
    },
    hangs(operation) {
      if (operation !== 'volume' || !faults.happens('volume-hung')) return undefined;
      const stream = faults.stream('volume-hung');
      return stream.chance(0.5) ? Infinity : 10_000 + stream.next() * hungMs;
    },
    wait,
    chooseFault(operation): Omit<Fault, 'operation'> | undefined {
      const words = operation === 'start' ? outage() : undefined;
      if (words !== undefined) return { when: 'before', error: new ProviderError('transient', words) };
      for (const { kind, class: errorClass } of failures) {
        if (!mayFail(errorClass, operation) || !faults.happens(kind)) continue;
        note(kind, operation);
        return { when: 'before', error: new ProviderError(errorClass, `simulated ${kind}`) };
      }
      if (operation === 'volume' && faults.happens('volume-failed')) {
        const when = faults.stream('volume-failed').chance(0.5) ? 'before' : 'after';
        return { when, error: new ProviderError('bad request', 'simulated volume-failed') };
      }
      if (!faults.happens(lost)) return undefined;
      note(lost, operation);
      return { when: 'after', error: new ProviderError('transient', `simulated ${lost}`) };
    },
    refuses: ({ constraints: { mem = 0 } }) =>
      mem >= tooMuchMem ? `no instance type has ${mem} MiB of memory` : undefined,
    onStart,
    onStop,
    onRestart,
    onVolume,
  });
}

function mayFail(errorClass: FailureClass, operation: Operation): boolean {
  return errorClass === 'transient' || ofMachines.includes(operation);
}

function callName(kind: FaultKind, operation: Operation): string {
  return `${kind.replace('cloud-', '')} at ${operation}`;
}
