/**
 * Forecasts against what then happens: a world is copied at a random moment, a forecast is made of the copy with random
 * events, and the world goes on with the same events. At the end both must tell the same of the model.
 */
import { performance } from 'node:perf_hooks';
import { Forecasts } from '../../controller/forecasts/forecasts.ts';
import { explainView } from '../../controller/facades/shared/explain-view.ts';
import { explain } from '../../core/explain/explain.ts';
import { nameOf, type ExplainView, type Explanation } from '../../core/explain/explanation.ts';
import { formatDuration } from '../../core/duration.ts';
import { parseEvents } from '../../core/forecast/events.ts';
import { unwell } from '../../core/forecast/unwell.ts';
import type { StatusDoc } from '../../core/status/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { play } from '../../forecast/play.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import type { Reader } from '../../store/store.ts';
import { zoneNames } from './cloud.ts';
import type { Terminal } from './simulate.ts';
import { eventsFor, ForecastWorld, known, usual } from './forecast-world.ts';

interface Tried {
  readonly events: readonly string[];
  /** What the forecast (-) and the world (+) say differently. */
  readonly differences: readonly string[];
  /** Number of facts that were compared. */
  readonly facts: number;
}

const horizonMs = 45 * 60_000;
const latestMs = 600_000;
const seedsApart = 1_000_000;
/** Statuses by which units and machines come up. */
const isProgress = /^(workload of .*: active|machine-agent of .*: started)/;
/** How much too early a forecast may be: a controller that is killed starts again within 10 s. */
const earlyMs = 15_000;
/** How much too late: what was under way at the copy begins anew in the forecast. */
const lateMs = Math.max(usual.install, usual.boot) + earlyMs;

/** Tries the seeds one after the other. Returns whether all forecasts came true. */
export async function tryForecasts(seeds: readonly number[], { say, progress }: Terminal): Promise<boolean> {
  let facts = 0;
  const wrong: number[] = [];
  for (const [n, seed] of seeds.entries()) {
    const tried = await tryForecast(seed);
    facts += tried.facts;
    if (tried.differences.length > 0) {
      wrong.push(seed);
      say(`seed ${seed}, ${JSON.stringify(tried.events)}:\n  ${tried.differences.join('\n  ')}`);
    }
    progress(`${n + 1} of ${seeds.length} forecasts`);
  }
  say(`${seeds.length} forecasts, ${facts} facts compared, ${wrong.length} forecasts did not come true`);
  return wrong.length === 0;
}

/** Makes the forecast of a seed's world, and compares it with what becomes of the world. */
export async function tryForecast(seed: number): Promise<Tried> {
  const made = await ForecastWorld.open(seed);
  const { world, random } = made;
  try {
    await world.runFor(random.int(20_000, latestMs));
    // A command that is on its way is no part of the copy.
    await made.rest();
    const failing = [...made.failing].map(([unit, hook]) => `unit ${unit} fails ${hook}`);
    const events = [...failing, ...eventsFor(made.view(), random)];
    const parsed = parseEvents(events, horizonMs);
    const copiedAt = new Date(made.world.controller.running!.composed.services.clock.now()).toISOString();
    const told = await forecastOf(made, parsed);
    for (const { atMs, what } of parsed) made.happenIn(atMs, what);
    await world.runFor(horizonMs);
    for (const { what } of world.failures) throw new Error(what);
    const after = new Map([...factsOf(made.view()), ...stuckIn(viewOf(made), made.view())]);
    const copiedMs = Date.parse(copiedAt);
    return {
      events,
      facts: after.size,
      differences: [
        ...[...told.keys()].filter((fact) => !after.has(fact)).map((fact) => `- ${fact}`),
        ...[...after.keys()].filter((fact) => !told.has(fact)).map((fact) => `+ ${fact}`),
        ...offTime(told, after, copiedMs),
      ],
    };
  } finally {
    await world.stop();
  }
}

/** Yields progress after the copy whose forecast time is wrong by more than what chance makes. */
function* offTime(told: Facts, after: Facts, copiedMs: number): Iterable<string> {
  for (const [fact, at] of after) {
    const forecast = told.get(fact) ?? 0;
    if (!isProgress.test(fact) || at <= copiedMs || forecast <= copiedMs) continue;
    if (forecast - at <= lateMs && at - forecast <= earlyMs) continue;
    const [said, was] = [forecast, at].map((ms) => formatDuration(ms - copiedMs));
    yield `~ ${fact}: forecast after ${said}, and was after ${was}`;
  }
}

/** What the forecast says of the end. */
async function forecastOf(made: ForecastWorld, events: ReturnType<typeof parseEvents>): Promise<Facts> {
  const { store, composed } = made.world.controller.running!;
  const { services } = composed;
  // The simulated cloud answers on the world's clock, which stands still.
  const zones = { list: () => Promise.resolve(zoneNames.map((name) => ({ name, available: true }))) };
  let facts: readonly Fact[] = [];
  let end: Reader<Entities> | undefined;
  const maker = new Forecasts((input) =>
    play(
      { ...input, durations: known },
      () => performance.now(),
      (view) => {
        end = view;
        facts = factsOf(view);
      },
    ),
  );
  const { stuck } = await maker.make(
    {
      ...services,
      store,
      nextTurn: systemNextTurn,
      clock: { now: () => services.clock.now(), sleep: () => new Promise(() => undefined) },
      environ: (uuid, reader) => ({ ...services.environ(uuid, reader), zones }),
    },
    // With the world's own seed both controllers would draw the same ids, of instances too.
    { modelUuid: made.model, horizonMs, seed: made.world.seed + seedsApart, events, files: [] },
    new AbortController().signal,
  );
  return new Map([
    ...facts,
    ...stuck.map(({ entity, explanation }): Fact => [plain(stuckFact(entity, explanation), end!), 0]),
  ]);
}

/** A sentence, and since when it is so in ms since 1970 where that is known. */
type Fact = readonly [sentence: string, at: number];
type Facts = ReadonlyMap<string, number>;

/** What is told of the model. */
function factsOf(view: Reader<Entities>): Fact[] {
  const facts = [
    ...[...view.list('application')].map(
      ({ name, life, pending }) => `application ${name}: ${life}${pending ? ', pending' : ''}`,
    ),
    ...[...view.list('unit')].map(
      ({ name, life, machine = 'none' }) => `unit ${name}: ${life} on ${machine}`,
    ),
    ...[...view.list('machine')].map(
      ({ id, life, instance }) => `machine ${id}: ${life}${instance ? ' with an instance' : ''}`,
    ),
    ...[...view.list('relation')].map(({ key, life }) => `relation ${key}: ${life}`),
  ];
  // A model is available as long as no status says otherwise.
  const isUsual = ({ kind, status }: StatusDoc): boolean => kind === 'model' && status === 'available';
  const statuses = [...view.list('status')].flatMap((doc): Fact[] => {
    const { kind, entity, status, message, since } = doc;
    const fact = `${kind} of ${entity}: ${status} ${message}`.trim();
    return isUsual(doc) ? [] : [[fact, Date.parse(since)]];
  });
  return [...facts.map((fact) => [fact, 0] as const), ...statuses].map(([fact, at]) => [
    plain(fact, view),
    at,
  ]);
}

function viewOf(made: ForecastWorld): ExplainView {
  const { presence, clock } = made.world.controller.running!.composed.services;
  return explainView({
    view: made.view(),
    now: new Date(clock.now()).toISOString(),
    present: ({ id, isController }) => isController || presence.isPresent(made.model, id),
    absentSince: (machine) => presence.absentSince(made.model, machine),
    heardAt: (machine) => presence.heardAt(made.model, machine),
  });
}

function stuckIn(explained: ExplainView, view: Reader<Entities>): Fact[] {
  return [...unwell(explained)].map(({ entity }) => [
    plain(stuckFact(nameOf(entity, explained), explain(entity, explained)), view),
    0,
  ]);
}

/** What is stuck, with the causes at the roots and who must act. */
function stuckFact(entity: string, explanation: Explanation): string {
  const roots = (one: Explanation): string[] =>
    one.waitsFor.length > 0
      ? one.waitsFor.flatMap(roots)
      : [`${one.name}: ${one.text}${one.actor ? `, ${one.actor.kind} ${one.actor.task}` : ''}`];
  return `stuck ${entity}: ${[...new Set(roots(explanation))].sort().join('; ')}`;
}

/**
 * Leaves out what chance makes: ids of instances, times, and numbers of subordinates, which are given in the order in
 * which their principals' agents come.
 */
function plain(fact: string, view: Pick<Reader<Entities>, 'get'>): string {
  return fact
    .replaceAll(/\bi-[0-9a-f]+/g, 'i-…')
    .replaceAll(/(\d{4}-\d{2}-\d{2}T)?\d{2}:\d{2}:[\d.]+Z/g, 'TIME')
    .replaceAll(/\b(\d+h)?(\d+m)?\d+(\.\d+)?s\b/g, 'TIME')
    .replaceAll(/\blogger\/\d+/g, (name) => {
      const principal = view.get('unit', name)?.principal;
      return principal === undefined ? 'logger of a unit that is gone' : `logger of ${principal}`;
    });
}
