/**
 * Forecasts against what then happens: a world is copied at a random moment, a forecast is made of the copy with random
 * events, and the world goes on with the same events. At the end both must tell the same of the model.
 */
import { performance } from 'node:perf_hooks';
import { Forecasts } from '../../controller/forecasts/forecasts.ts';
import { explainView } from '../../controller/facades/shared/explain-view.ts';
import type { ExplainView } from '../../core/explain/explanation.ts';
import { formatDuration } from '../../core/duration.ts';
import { parseEvents } from '../../core/forecast/events.ts';
import type { Entities } from '../../core/kinds.ts';
import { statusId } from '../../core/status.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import { play } from '../../forecast/play.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import type { Reader } from '../../store/store.ts';
import { zoneNames } from './cloud.ts';
import type { Terminal } from './simulate.ts';
import { factsOf, stuckFact, stuckIn, type Fact, type Facts } from './forecast-facts.ts';
import { eventsFor } from './forecast-commands.ts';
import { ForecastWorld, known, usual } from './forecast-world.ts';

interface Tried {
  readonly events: readonly string[];
  /** What the forecast (-) and the world (+) say differently. */
  readonly differences: readonly string[];
  /** What the world says. */
  readonly facts: readonly string[];
}

type View = Reader<Entities>;

const horizonMs = 45 * 60_000;
const latestMs = 600_000;
const seedsApart = 1_000_000;
/** Statuses by which units and machines come up. */
const isProgress = /^(workload of .*: active|machine-agent of .*: started)/;
/** How much too early a forecast may be: a controller that is killed starts again within 10 s. */
const earlyMs = 15_000;
/** How much too late: what was under way at the copy begins anew in the forecast. */
const anewMs = Math.max(usual.install, usual.boot);
/** Events by which that may begin anew once more. */
const isInterrupting = /killed|reboots|stops|is cut off/;
/** Longest time between two runs of a failed hook: chance decides which run is the first after the charm is mended. */
const retryMs = 330_000;

/** Tries the seeds one after the other. Returns whether all forecasts came true. */
export async function tryForecasts(seeds: readonly number[], { say, progress }: Terminal): Promise<boolean> {
  const facts: string[] = [];
  const wrong: number[] = [];
  for (const [n, seed] of seeds.entries()) {
    const tried = await tryForecast(seed);
    facts.push(...tried.facts);
    if (tried.differences.length > 0) {
      wrong.push(seed);
      say(`seed ${seed}, ${JSON.stringify(tried.events)}:\n  ${tried.differences.join('\n  ')}`);
    }
    progress(`${n + 1} of ${seeds.length} forecasts`);
  }
  const kinds = Map.groupBy(facts, (fact) => /^[a-z-]+/.exec(fact)![0]);
  const counts = [...kinds].map(([kind, all]) => `${all.length} of ${kind}`).sort();
  say(`${seeds.length} forecasts, ${facts.length} facts compared (${counts.join(', ')})`);
  say(`${wrong.length} forecasts did not come true`);
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
    const idle = idleUnits(made.view());
    const copiedAt = new Date(made.world.controller.running!.composed.services.clock.now()).toISOString();
    const told = await forecastOf(made, parsed);
    for (const { atMs, what } of parsed) made.happenIn(atMs, what);
    await world.runFor(horizonMs);
    for (const { what } of world.failures) throw new Error(what);
    const after = new Map([...factsOf(made.view(), viewOf(made)), ...stuckIn(viewOf(made), made.view())]);
    const copiedMs = Date.parse(copiedAt);
    return {
      events,
      facts: [...after.keys()],
      differences: [
        ...[...told.keys()].filter((fact) => !after.has(fact)).map((fact) => `- ${fact}`),
        ...[...after.keys()].filter((fact) => !told.has(fact)).map((fact) => `+ ${fact}`),
        ...offTime(told, after, { copiedMs, events, busy: busyBeside(made.view(), idle) }),
      ],
    };
  } finally {
    await world.stop();
  }
}

/** Yields progress after the copy whose forecast time is wrong by more than what chance makes. */
function* offTime(
  told: Facts,
  after: Facts,
  {
    copiedMs,
    events,
    busy,
  }: {
    readonly copiedMs: number;
    readonly events: readonly string[];
    readonly busy: ReadonlyMap<string, number>;
  },
): Iterable<string> {
  const lateMs = anewMs * (1 + events.filter((event) => isInterrupting.test(event)).length) + earlyMs;
  const failing = events.flatMap((event) => /(?:unit|application) (\S+) fails/.exec(event)?.[1] ?? []);
  // Of those that fail another hook from then on, the first does not fail any more.
  const mended = failing.filter((name, n) => failing.indexOf(name) < n);
  for (const [fact, at] of after) {
    const forecast = told.get(fact) ?? 0;
    if (!isProgress.test(fact) || at <= copiedMs || forecast <= copiedMs) continue;
    const chanceMs = mended.some((name) => fact.includes(` of ${name}`)) ? retryMs : 0;
    const queuedMs = anewMs * (busy.get(/ of (\S+):/.exec(fact)?.[1] ?? '') ?? 0);
    if (forecast - at <= lateMs + chanceMs + queuedMs && at - forecast <= earlyMs + chanceMs + queuedMs)
      continue;
    const [said, was] = [forecast, at].map((ms) => formatDuration(ms - copiedMs));
    yield `~ ${fact}: forecast after ${said}, and was after ${was}`;
  }
}

/** Names of the units that run no hook and wait for none. */
function idleUnits(view: View): ReadonlySet<string> {
  const isIdle = ({ name }: UnitDoc): boolean =>
    view.get('status', statusId('unit-agent', name))?.status === 'idle';
  return new Set([...view.list('unit')].filter(isIdle).map(({ name }) => name));
}

/**
 * Returns how many other units of a unit's machine were not idle at the copy: hooks of a machine run one at a time, and
 * chance decides which unit's come first.
 */
function busyBeside(view: View, idle: ReadonlySet<string>): ReadonlyMap<string, number> {
  const placed = [...view.list('unit')].filter(({ machine }) => machine !== undefined);
  const machines = [...Map.groupBy(placed, ({ machine }) => machine).values()];
  return new Map(
    machines.flatMap((units) => {
      const busy = units.filter(({ name }) => !idle.has(name)).length;
      return units.map(({ name }) => [name, idle.has(name) ? busy : busy - 1] as const);
    }),
  );
}

/** What the forecast says of the end. */
async function forecastOf(made: ForecastWorld, events: ReturnType<typeof parseEvents>): Promise<Facts> {
  const { store, composed } = made.world.controller.running!;
  const { services } = composed;
  // The simulated cloud answers on the world's clock, which stands still.
  const zones = { list: () => Promise.resolve(zoneNames.map((name) => ({ name, available: true }))) };
  let facts: readonly Fact[] = [];
  let end: View | undefined;
  const maker = new Forecasts((input) =>
    play({ ...input, durations: known }, { now: () => performance.now() }, (view, explained) => {
      end = view;
      facts = factsOf(view, explained);
    }),
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
  return new Map([...facts, ...stuck.map(({ entity, explanation }) => stuckFact(entity, explanation, end!))]);
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
