import type { Broker } from './records.ts';

/** One that could not be stopped. */
export interface StopFailure<S> {
  readonly stop: S;
  readonly error: unknown;
}

/**
 * All together, and one by one when that fails: one of them may be what all of them fail for. Returns those that could
 * not be stopped; when the worker is stopped meanwhile, some that were not tried.
 */
export async function stopInstances<S extends { readonly instanceId: string }>(
  { instances }: { readonly instances: Pick<Broker['instances'], 'stop'> },
  stops: readonly S[],
  signal: AbortSignal,
): Promise<StopFailure<S>[]> {
  if (stops.length === 0) return [];
  const together = await attempt(() =>
    instances.stop(
      stops.map(({ instanceId }) => instanceId),
      signal,
    ),
  );
  if (!together) return [];
  if (stops.length === 1 || signal.aborted) return stops.map((stop) => ({ stop, error: together.error }));
  const outcomes = await Promise.all(
    stops.map(({ instanceId }) => attempt(() => instances.stop([instanceId], signal))),
  );
  return stops.flatMap((stop, i) => {
    const failure = outcomes[i];
    return failure ? [{ stop, error: failure.error }] : [];
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
