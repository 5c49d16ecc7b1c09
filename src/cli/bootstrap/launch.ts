import {
  ProviderError,
  tagKeys,
  type BootstrapParams,
  type Environ,
  type StartResult,
} from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { defined } from '../../core/defined.ts';

/** Minimum time in milliseconds between lines of progress when stderr is not a terminal. */
const progressIntervalMs = 10_000;

/** Environment that can start controllers. */
export type Launcher = Environ & Required<Pick<Environ, 'bootstrap'>>;

interface LaunchParams {
  readonly environ: Launcher;
  /** Zones that the instance may be in; empty when the cloud has none. */
  readonly zones: readonly string[];
  readonly params: Omit<BootstrapParams, 'machineId' | 'zone' | 'progress'>;
}

/**
 * Starts machine 0 for a controller in the first zone that accepts it. Nothing is left after a cancellation, nor after
 * a failure that is not transient. Errors: the provider's.
 */
export async function launch(
  context: CommandContext,
  { environ, zones, params }: LaunchParams,
): Promise<StartResult> {
  const { clock, signal } = context.io;
  let shownAt = clock.now();
  const progress = (message: string): void => {
    context.showTransient(` - ${message}`);
    if (context.io.stderr.isTTY || clock.now() - shownAt < progressIntervalMs) return;
    shownAt = clock.now();
    context.info(` - ${message}`);
  };
  const start = (zone: string | undefined): Promise<StartResult> =>
    environ.bootstrap(
      {
        ...params,
        machineId: '0',
        tags: { ...params.tags, [tagKeys.machine]: '0', [tagKeys.isController]: 'true' },
        ...defined({ zone }),
        progress,
      },
      signal,
    );
  try {
    if (zones.length === 0) return await start(undefined);
    return await inFirstZone(context, zones, start);
  } finally {
    context.showTransient('');
  }
}

async function inFirstZone(
  context: CommandContext,
  zones: readonly string[],
  start: (zone: string) => Promise<StartResult>,
): Promise<StartResult> {
  let lastError: unknown;
  for (const zone of zones)
    try {
      return await start(zone);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.class !== 'zonal') throw error;
      context.info(` - zone ${zone}: ${error.message}`);
      lastError = error;
    }
  throw lastError;
}
