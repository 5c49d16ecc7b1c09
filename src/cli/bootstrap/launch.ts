import {
  ProviderError,
  tagKeys,
  type BootstrapParams,
  type Environ,
  type StartResult,
} from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';

/** Between lines of what goes on where there is no terminal. */
const talkMs = 10_000;

/** One that starts controllers. */
export type Launcher = Environ & Required<Pick<Environ, 'bootstrap'>>;

export interface LaunchParams {
  readonly environ: Launcher;
  /** Those that it may be in; none where the cloud has none. */
  readonly zones: readonly string[];
  readonly params: Omit<BootstrapParams, 'machineId' | 'zone' | 'progress'>;
}

/**
 * Has the cloud start machine 0 for a controller, in the first zone that lets it. Errors: the provider's; cancelled, or
 * failed but for a transient reason, nothing is made.
 */
export async function launch(
  context: CommandContext,
  { environ, zones, params }: LaunchParams,
): Promise<StartResult> {
  const { clock, signal } = context.io;
  let saidAt = clock.now();
  const progress = (message: string): void => {
    context.passing(` - ${message}`);
    if (context.io.stderr.isTTY || clock.now() - saidAt < talkMs) return;
    saidAt = clock.now();
    context.info(` - ${message}`);
  };
  const start = (zone: string | undefined): Promise<StartResult> =>
    environ.bootstrap(
      {
        ...params,
        machineId: '0',
        tags: { ...params.tags, [tagKeys.machine]: '0', [tagKeys.isController]: 'true' },
        ...(zone === undefined ? {} : { zone }),
        progress,
      },
      signal,
    );
  try {
    if (zones.length === 0) return await start(undefined);
    return await inFirstZone(context, zones, start);
  } finally {
    context.passing('');
  }
}

async function inFirstZone(
  context: CommandContext,
  zones: readonly string[],
  start: (zone: string) => Promise<StartResult>,
): Promise<StartResult> {
  let last: unknown;
  for (const zone of zones)
    try {
      return await start(zone);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.class !== 'zonal') throw error;
      context.info(` - zone ${zone}: ${error.message}`);
      last = error;
    }
  throw last;
}
