/** Forecasts of models (forecasts.md): each is played by a thread of its own, one at a time. */
import { DurationsOfPast, type KnownDurations } from '../../core/forecast/durations.ts';
import type { ForecastEvent } from '../../core/forecast/events.ts';
import type { ForecastFile } from '../../core/forecast/file.ts';
import { checkZones } from '../../core/forecast/known-names.ts';
import type { CloudTraits, Forecast, ForecastInput } from '../../core/forecast/forecast.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { PastChange } from '../../core/history/past-change.ts';
import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import { statusId, type StatusKind } from '../../core/status.ts';
import { timeLimit } from '../../kit/clock.ts';
import type { Environ } from '../../providers/contract/provider.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { copyModel } from './copy-model.ts';

/** Plays a copied model elsewhere. Errors: what went wrong there; those of the signal. */
export type PlayForecast = (input: ForecastInput, signal: AbortSignal) => Promise<Forecast>;

interface ForecastRequest {
  readonly modelUuid: string;
  readonly horizonMs: number;
  readonly events: readonly ForecastEvent[];
  readonly files: readonly ForecastFile[];
  readonly seed: number;
}

/** Changes of the past in which durations are looked for. */
const pastMax = 20_000;
/** Changes that are looked at between two turns of the event loop. */
const atOnce = 200;
/** Milliseconds within which the cloud must say which zones it has. */
const zonesMs = 5_000;

type Needs = Pick<Services, 'clock' | 'environ' | 'nextTurn' | 'presence'> & {
  readonly store: Store<Entities>;
};

export class Forecasts {
  readonly #play: PlayForecast;
  #isBusy = false;

  constructor(play: PlayForecast) {
    this.#play = play;
  }

  /**
   * Copies the model and plays the copy. Errors: `try again` while another forecast is being made; those of checkZones,
   * copyModel, and the signal.
   */
  async make(needs: Needs, request: ForecastRequest, signal: AbortSignal): Promise<Forecast> {
    if (this.#isBusy)
      throw new JujuError('try again', 'another forecast is being made: try again when it is done');
    this.#isBusy = true;
    try {
      return await this.#play(await inputOf(needs, request, signal), signal);
    } finally {
      this.#isBusy = false;
    }
  }
}

async function inputOf(needs: Needs, request: ForecastRequest, signal: AbortSignal): Promise<ForecastInput> {
  const { store, presence, clock, environ, nextTurn } = needs;
  const { modelUuid, horizonMs, events, files, seed } = request;
  const view = store.read().in(modelUuid);
  const model = store.read().get('model', modelUuid);
  const { type = '' } = store.read().get('cloud', model?.cloud ?? '') ?? {};
  const cloud = await traitsOf(environ(modelUuid, view), { type, needs, modelUuid, signal });
  checkZones(events, cloud.zones);
  const documents = await copyModel(store, { modelUuid, nextTurn, signal });
  const machines = [...view.list('machine')].map(({ id }) => id);
  const awaited = machines.filter((id) => presence.isAwaited(modelUuid, id) && hasRun(view, id));
  return {
    modelUuid,
    controllerUuid: store.read().get('controller', 'self')?.uuid ?? '',
    now: clock.now(),
    seed,
    horizonMs,
    wallMs: limits.forecastTime.max * 1000,
    events,
    files,
    documents,
    present: [...machines.filter((id) => presence.isPresent(modelUuid, id)), ...awaited],
    awaited: awaited.length,
    cloud,
    durations: await durationsOf(needs, modelUuid, signal),
  };
}

/** Whether the agent was connected when it was last heard of, on an instance that runs for all that is known. */
function hasRun(view: Reader<Entities>, machine: string): boolean {
  const statusOf = (kind: StatusKind): string => view.get('status', statusId(kind, machine))?.status ?? '';
  return statusOf('machine-agent') === 'started' && !['lost', 'stopped'].includes(statusOf('instance'));
}

async function traitsOf(
  environ: Environ,
  {
    type,
    needs: { clock, store },
    modelUuid,
    signal,
  }: { type: string; needs: Needs; modelUuid: string; signal: AbortSignal },
): Promise<CloudTraits> {
  return {
    type,
    groups: environ.startGroup !== undefined,
    containers: environ.containers !== undefined,
    profiles: environ.profiles !== undefined,
    networks: environ.networks !== undefined,
    ...defined({
      zones: environ.zones && (await zonesOf(environ.zones, { clock, store, modelUuid }, signal)),
      volumes: environ.storage?.type,
      bases: await environ.bases?.(),
    }),
  };
}

/** Returns the zones that the cloud has; those of the model's machines when it does not say so in time. */
async function zonesOf(
  zones: NonNullable<Environ['zones']>,
  { clock, store, modelUuid }: Pick<Needs, 'clock' | 'store'> & { readonly modelUuid: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const limit = timeLimit(clock, zonesMs, signal);
  try {
    return (await zones.list(limit.signal)).map(({ name }) => name);
  } catch {
    signal.throwIfAborted();
    const known = new Set<string>();
    for (const { zone } of store.read().in(modelUuid).list('machine')) if (zone) known.add(zone);
    return [...known];
  } finally {
    limit.done();
  }
}

/** Returns the durations that the newest part of the model's history shows. */
async function durationsOf(
  { store, nextTurn }: Needs,
  modelUuid: string,
  signal: AbortSignal,
): Promise<KnownDurations> {
  const known = new DurationsOfPast();
  let seen = 0;
  let turn = 0;
  for (const commit of store.past({ space: modelUuid })) {
    for (const change of commit.changes(commit.total)) known.see(change as PastChange);
    seen += commit.total;
    turn += commit.total;
    if (seen >= pastMax) break;
    if (turn < atOnce) continue;
    turn = 0;
    await new Promise<void>((resolve) => nextTurn(resolve));
    signal.throwIfAborted();
  }
  return known.known();
}
