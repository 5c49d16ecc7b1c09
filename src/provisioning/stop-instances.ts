import type { Broker } from './records.ts';

/** Failure to stop one instance. */
export interface StopFailure<S> {
  readonly stop: S;
  readonly error: unknown;
}

/**
 * Stops all instances in one request, and one by one when that fails, since a single instance may make the whole
 * request fail. Returns the failures; when the worker is stopped meanwhile, also some instances that were not tried.
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
