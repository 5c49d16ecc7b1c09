import { parseEvents } from '../../../core/forecast/events.ts';
import { checkFiles } from '../../../core/forecast/file.ts';
import { checkNames } from '../../../core/forecast/known-names.ts';
import type { Forecast, Stuck } from '../../../core/forecast/forecast.ts';
import type { Explanation } from '../../../core/explain/explanation.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { forecasts as spec } from '../../../wire/facades/forecasts.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { explainViewOf } from '../shared/explain-view.ts';
import { currentModel } from '../shared/model.ts';

export const forecasts = {
  Make: { needs: 'model-read', run: make },
} satisfies FacadeTable<typeof spec>;

type Answer = ResultOf<typeof spec, 'Make'>;

/** Errors: `not valid` for events and their files; `not found` for what they name; `quota limit exceeded`; `try again` while another forecast is being made. */
async function make(
  call: Call,
  { events: texts, files = [], horizon, seed = 1 }: ParamsOf<typeof spec, 'Make'>,
): Promise<Answer> {
  const { uuid: modelUuid } = currentModel(call);
  const { forecasts: maker } = call.services;
  if (!maker) throw new JujuError('not supported', 'this controller makes no forecasts');
  checkLimit(limits.forecastHorizon, horizon);
  const horizonMs = horizon * 1000;
  const ended = new AbortController();
  const { signal } = ended;
  // The connection's end is the forecast's: nobody would get the answer.
  const id = call.connection.register({
    next: () => Promise.reject(new JujuError('not supported', 'a forecast has no news')),
    stop: () => ended.abort(new JujuError('stopped', 'the connection has ended')),
  });
  try {
    const { store, services } = call;
    const events = parseEvents(texts, horizonMs);
    checkFiles(files, events);
    checkNames(events, explainViewOf(call));
    const request = { modelUuid, horizonMs, events, files, seed };
    return answerOf(await maker.make({ ...services, store }, request, signal));
  } finally {
    call.connection.remove(id);
  }
}

function answerOf(forecast: Forecast): Answer {
  const { beganMs, horizonMs, playedMs, timeline, lines, atRestMs, changedMs, stuck, stuckEntities, end } =
    forecast;
  const { retried, retriedHooks, suspendedStarts, awaited, durations, usedUp, due } = forecast;
  const now = new Date(beganMs + playedMs).toISOString();
  return {
    began: new Date(beganMs).toISOString(),
    horizon: horizonMs / 1000,
    played: playedMs / 1000,
    ...defined({ 'used-up': usedUp, due: due && { hooks: due.hooks, until: due.untilMs / 1000 } }),
    timeline: timeline.map(({ atMs, entity, what }) => ({ at: atMs / 1000, entity, what })),
    lines,
    ...defined({ 'at-rest': atRestMs === undefined ? undefined : atRestMs / 1000 }),
    changed: changedMs / 1000,
    retried: retried.map(({ entity, hook, nextMs }) => ({
      entity,
      hook,
      ...nextOf(nextMs),
    })),
    'retried-hooks': retriedHooks,
    ...defined({ 'suspended-starts': suspendedStarts && nextOf(suspendedStarts.nextMs) }),
    awaited,
    durations: {
      hooks: durations.hooks,
      runs: durations.runs,
      starts: durations.starts,
      boots: durations.boots,
      'container-starts': durations.containerStarts,
      'container-boots': durations.containerBoots,
    },
    stuck: stuck.map((one) => toldOf(one, now)),
    'stuck-entities': stuckEntities,
    end,
  };
}

function nextOf(nextMs: number | undefined): { next?: number } {
  return defined({ next: nextMs === undefined ? undefined : nextMs / 1000 });
}

function toldOf({ entity, sinceMs, explanation, next }: Stuck, now: string): Answer['stuck'][number] {
  return {
    entity,
    since: sinceMs / 1000,
    explained: { now, explanation: toWire(explanation), next: [...next], quotas: [] },
  };
}

type Told = Answer['stuck'][number]['explained']['explanation'];

function toWire({ waitsFor, ...rest }: Explanation): Told {
  return { ...rest, 'waits-for': waitsFor.map(toWire) };
}
