/** Plays a copied model for a while, and says what becomes of it (forecasts.md). */
import { explainView } from '../controller/facades/shared/explain-view.ts';
import type { EntityRef } from '../core/entity-ref.ts';
import { actorsOf, explain } from '../core/explain/explain.ts';
import { nameOf, type ExplainView } from '../core/explain/explanation.ts';
import { defined } from '../core/defined.ts';
import type { EndState, Forecast, ForecastInput, Stuck } from '../core/forecast/forecast.ts';
import type { ForecastEvent } from '../core/forecast/events.ts';
import { dueHooks } from '../core/forecast/due-hooks.ts';
import { isSettled } from '../core/forecast/settled.ts';
import { unwell, type Unwell } from '../core/forecast/unwell.ts';
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Entities } from '../core/kinds.ts';
import type { Reader } from '../store/store.ts';
import { Budget, type Means } from './budget.ts';
import { PlayedModel } from './played-model.ts';

/** Interval in simulated milliseconds between two looks at what is unwell. */
const lookMs = 1_000;
/** Simulated milliseconds without a change after which the rest is not played, when nothing is left that may change. */
const stillMs = 900_000;
/** Simulated milliseconds within which agents that were connected at the copy connect again: no change of the model. */
const connectMs = 5_000;

/**
 * Plays the copy. `atEnd` is called with the model as it is then, and as it is explained. Errors: a failure of the
 * controller's own.
 */
export async function play(
  input: ForecastInput,
  means: Means,
  atEnd: (view: Reader<Entities>, explained: ExplainView | undefined) => void = () => undefined,
): Promise<Forecast> {
  const { horizonMs, wallMs, events } = input;
  const budget = new Budget(means, wallMs);
  const model = await PlayedModel.open(input);
  const { scheduler, timeline } = model;
  scheduler.onError = (error) => model.failures.push(String(error));
  const watch = new Watch(model, input);
  await model.begin();
  const openedAt = scheduler.now;
  // What happens to a machine before its agent has connected again is nothing that could have happened to it.
  await scheduler.drive(
    (at) => at - openedAt > connectMs || budget.isOver() || isOver(model) || watch.areConnected(),
  );
  const began = scheduler.now;
  watch.begin();
  // The scheduler runs events of one time in any order.
  for (const [atMs, moment] of Map.groupBy(events, (event) => event.atMs))
    scheduler.after(atMs, 'event', 'events', () => {
      for (const event of moment) happen(model, event);
    });
  const lastMs = Math.max(0, ...events.map(({ atMs }) => atMs));
  await scheduler.drive((at) => {
    watch.look(at);
    model.recoveries.look();
    const isStill = at - began > lastMs && watch.staysAsItIs();
    return at - began > horizonMs || isStill || budget.isOver() || isOver(model);
  });
  const [failure] = model.failures;
  if (failure !== undefined) throw new Error(failure);
  watch.look(Infinity);
  const view = model.explainView() ?? watch.lastView;
  atEnd(model.view(), view);
  const playedMs = budget.usedUp ? Math.min(horizonMs, Math.round(scheduler.now - began)) : horizonMs;
  return {
    beganMs: input.now,
    horizonMs,
    playedMs,
    ...(budget.usedUp && { usedUp: budget.usedUp, ...dueAt(playedMs, model) }),
    timeline: timeline.lines
      .map((line) => ({ ...line, atMs: Math.max(0, Math.round(line.atMs - began)) }))
      .sort((a, b) => a.atMs - b.atMs),
    lines: timeline.count,
    awaited: input.awaited,
    durations: input.durations.seen,
    ...watch.result(view),
  };
}

function dueAt(playedMs: number, model: PlayedModel): Pick<Forecast, 'due'> {
  const { hooks, ms } = dueHooks(model.view(), model.hookMs);
  return defined({ due: hooks > 0 ? { hooks, untilMs: playedMs + Math.round(ms) } : undefined });
}

function happen(model: PlayedModel, { text, what }: ForecastEvent): void {
  const { timeline } = model;
  timeline.add('event', text);
  try {
    model.happen(what);
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    timeline.add('event', `without effect: ${error.message}`);
  }
}

function isOver({ failures }: PlayedModel): boolean {
  return failures.length > 0;
}

type Since = Map<string, Unwell & { readonly at: number }>;

/** Returns the state after that one: a unit whose agent runs its failed hook again is still one whose hook is retried. */
function stateAfter(before: Unwell | undefined, one: Unwell): Unwell {
  const { hook } = before?.retried ?? {};
  const runsAgain = hook !== undefined && one.does?.startsWith(`running ${hook} hook`);
  return runsAgain ? { ...one, busy: false, retried: { hook } } : one;
}

/** Returns the model as it was copied, before anything happens. */
function copyView(model: PlayedModel, { now, present: machines }: ForecastInput): ExplainView {
  const present = new Set(machines);
  return explainView({
    view: model.view(),
    now: new Date(now).toISOString(),
    present: ({ id, isController }) => isController || present.has(id),
  });
}

/** Remembers since when what is unwell. */
class Watch {
  lastView: ExplainView | undefined;
  readonly #model: PlayedModel;
  /** Machines whose agent was connected at the copy. */
  readonly #present: readonly string[];
  /** Index of the first of them that has not connected again. */
  #absent = 0;
  /** The model's time at the scheduler's 0, in ms since 1970. */
  readonly #zeroAt: number;
  #began = 0;
  /** Since when entities are unwell, by name. */
  #since: Since = new Map();
  /** Time of the last change among them. */
  #changedAt = 0;
  #lookedAt = 0;
  /** Changes of the model at the last look. */
  #changes = NaN;
  /** When the model had last changed, or was last found to be one that may change. */
  #stillSince = 0;

  constructor(model: PlayedModel, input: ForecastInput) {
    const { now, present } = input;
    this.#model = model;
    this.#zeroAt = now;
    this.#present = present;
    this.#since = this.#found(copyView(model, input), 0).since;
  }

  /** Counts time from now on: what was unwell at the copy is so from the beginning. */
  begin(): void {
    const { now } = this.#model.scheduler;
    this.#began = now;
    this.#changedAt = now;
    this.#lookedAt = now - lookMs;
    this.#since = new Map([...this.#since].map(([name, one]) => [name, { ...one, at: now }]));
  }

  /** Looks at the model as it is until the next event, at that time, unless another look comes soon. */
  look(nextAt: number): void {
    const { now } = this.#model.scheduler;
    if (nextAt - this.#lookedAt < lookMs) return;
    const view = this.#model.explainView();
    if (!view) return;
    this.#lookedAt = now;
    this.lastView = view;
    const { changes } = this.#model;
    if (changes === this.#changes) return;
    this.#changes = changes;
    this.#stillSince = now;
    const { since, isSame } = this.#found(view, now);
    if (!isSame) this.#changedAt = now;
    this.#since = since;
  }

  /** Returns whether nothing has changed for long, and nothing is left that may change. */
  staysAsItIs(): boolean {
    const { now } = this.#model.scheduler;
    if (now - this.#stillSince < stillMs) return false;
    this.#stillSince = now;
    const all = [...this.#since.values()];
    const mayChange =
      this.#model.isWaiting || all.some(({ busy, retried, starts }) => busy || retried || starts);
    return !mayChange && this.lastView !== undefined && isSettled(this.lastView);
  }

  /** Returns whether all agents have connected again that were connected at the copy. */
  areConnected(): boolean {
    const view = this.#model.explainView();
    if (!view) return false;
    const present = this.#present;
    while (this.#absent < present.length && view.present(present[this.#absent]!)) this.#absent++;
    return this.#absent === present.length;
  }

  /** Returns what is unwell, and whether it was so at the last look. */
  #found(view: ExplainView, now: number): { readonly since: Since; readonly isSame: boolean } {
    const since: Since = new Map();
    let isSame = true;
    for (const one of unwell(view)) {
      const key = `${one.entity.kind} ${one.entity.id}`;
      const before = this.#since.get(key);
      const state = stateAfter(before, one);
      since.set(key, { ...state, at: before?.at ?? now });
      isSame &&= before?.busy === state.busy && before.retried?.hook === state.retried?.hook;
    }
    return { since, isSame: isSame && since.size === this.#since.size };
  }

  result(
    view: ExplainView | undefined,
  ): Omit<Forecast, 'beganMs' | 'horizonMs' | 'playedMs' | 'timeline' | 'lines' | 'durations' | 'awaited'> {
    if (!view) throw new Error('the controller never started');
    const all = [...this.#since.values()];
    const retried = all.filter((one) => one.retried);
    const starts = all.find((one) => one.starts)?.starts;
    const isAtRest = retried.length === 0 && !starts && !all.some(({ busy }) => busy);
    const changedMs = Math.round(
      this.#lastChange(new Set(retried.map(({ entity }) => nameOf(entity, view)))),
    );
    return {
      ...defined({ atRestMs: isAtRest ? changedMs : undefined }),
      changedMs,
      retried: retried
        .slice(0, limits.forecastStuck.max)
        .map(({ entity, retried: { hook = '', at } = {} }) => ({
          entity: nameOf(entity, view),
          hook,
          ...this.#next(at),
        })),
      retriedHooks: retried.length,
      ...defined({ suspendedStarts: starts && this.#next(starts.at) }),
      stuck: all.slice(0, limits.forecastStuck.max).flatMap((one) => this.#explained(one, view)),
      stuckEntities: all.length,
      end: this.#end(view),
    };
  }

  /** Returns when something is tried next, of its time in RFC 3339. */
  #next(at: string | undefined): { nextMs?: number } {
    return defined({
      nextMs: at === undefined ? undefined : Date.parse(at) - this.#zeroAt - Math.floor(this.#began),
    });
  }

  /** Returns the time of the last change since the beginning, but for those of the entities that retry a hook. */
  #lastChange(retrying: ReadonlySet<string>): number {
    let last = this.#changedAt;
    for (const [name, at] of this.#model.timeline.changed) if (!retrying.has(name)) last = Math.max(last, at);
    return last - this.#began;
  }

  #explained({ entity, at }: { entity: EntityRef; at: number }, view: ExplainView): Stuck[] {
    const explanation = explain(entity, view);
    const sinceMs = Math.round(at - this.#began);
    return [{ entity: nameOf(entity, view), sinceMs, explanation, next: actorsOf(explanation) }];
  }

  #end(view: ExplainView): EndState {
    const counts = (kind: 'unit' | 'machine'): EndState['units'] => {
      const all = view.count(kind);
      const ill = [...this.#since.values()].filter(({ entity }) => entity.kind === kind).length;
      return { all, well: all - ill };
    };
    return { units: counts('unit'), machines: counts('machine') };
  }
}
