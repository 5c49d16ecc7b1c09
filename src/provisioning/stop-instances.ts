import type { Broker } from './records.ts';

export interface Stop {
  readonly instanceId: string;
  readonly machineId: string;
}
export interface StopFailure {
  readonly machineId: string;
  readonly error: unknown;
}

/**
 * All together, and one by one when that fails: one of them may be what all of them fail for. Returns those that could
 * not be stopped; when the worker is stopped meanwhile, some that were not tried.
 */
export async function stopInstances(
  { instances }: Broker,
  stops: readonly Stop[],
  signal: AbortSignal,
): Promise<StopFailure[]> {
  if (stops.length === 0) return [];
  const together = await attempt(() =>
    instances.stop(
      stops.map(({ instanceId }) => instanceId),
      signal,
    ),
  );
  if (!together) return [];
  if (stops.length === 1 || signal.aborted)
    return stops.map(({ machineId }) => ({ machineId, error: together.error }));
  const outcomes = await Promise.all(
    stops.map(({ instanceId }) => attempt(() => instances.stop([instanceId], signal))),
  );
  return stops.flatMap(({ machineId }, i) => {
    const failure = outcomes[i];
    return failure ? [{ machineId, error: failure.error }] : [];
  });
}

async function attempt(stop: () => Promise<void>): Promise<{ error: unknown } | undefined> {
  try {
    await stop();
    return undefined;
  } catch (error) {
    return { error };
  }
}
