/** What stands for charms in a forecast: hooks that take the time they took, and set the status that was usual. */
import type { HookUnits } from '../core/forecast/events.ts';
import { hookKey, type KnownDurations } from '../core/forecast/durations.ts';
import type { Entities } from '../core/kinds.ts';
import { hostOf, unitApplication } from '../core/names.ts';
import { statusId } from '../core/status.ts';
import type { Reader } from '../store/store.ts';
import type { Behaviour, Durations } from './world/behaviour.ts';

/** Milliseconds of hooks and boots of which the history knows none, and of reboots. */
const usual = { install: 30_000, hook: 3_000, boot: 30_000, reboot: 30_000, containerStart: 15_000 };

interface UsualStatus {
  readonly status: string;
  readonly message: string;
}

export class PlayedCharms {
  readonly durations: Durations;
  /** Hooks that fail, by unit, and by application. */
  readonly #failing = new Map<string, string>();
  readonly #view: () => Reader<Entities>;
  #statuses: ReadonlyMap<string, UsualStatus> = new Map();

  /** Creates the charms of a model, which know nothing of its units yet. */
  constructor(view: () => Reader<Entities>, known: KnownDurations) {
    const { hooks, boot, containerBoot, containerStart } = known;
    this.#view = view;
    const ofModel = middleByHook(hooks);
    this.durations = {
      boot: (machine) => (hostOf(machine) === machine ? boot : containerBoot) ?? usual.boot,
      reboot: usual.reboot,
      containerStart: () => containerStart ?? usual.containerStart,
      hook: (unit, name) =>
        hooks[hookKey(unitApplication(unit), name)] ??
        ofModel.get(name) ??
        (name === 'install' ? usual.install : usual.hook),
    };
  }

  /** Takes the units' statuses and failed hooks as they are now. */
  know(): void {
    const view = this.#view();
    this.#statuses = usualStatuses(view);
    // A hook that has failed goes on failing: nobody mends its charm meanwhile.
    for (const { name } of view.list('unit')) {
      const hook = failedHook(view, name);
      if (hook !== undefined) this.#failing.set(name, hook);
    }
  }

  /** Makes a hook fail from now on; '' = none does any more. */
  fail(units: HookUnits, hook: string): void {
    const key = 'unit' in units ? units.unit : units.application;
    if (hook === '') this.#failing.delete(key);
    else this.#failing.set(key, hook);
  }

  readonly behaviour: Behaviour = async ({ unit, name, context }) => {
    const application = unitApplication(unit);
    if (this.#failing.get(unit) === name || this.#failing.get(application) === name)
      return { kind: 'failed', code: 1, message: 'exit status 1' };
    if (name !== 'start') return undefined;
    // A unit that runs already says what it said; its start may have been under way at the copy, after it had said so.
    const own = this.#view().get('status', statusId('workload', unit));
    const isOwn = own !== undefined && !['waiting', 'maintenance', 'unknown'].includes(own.status);
    const common = this.#statuses.get(application) ?? { status: 'active', message: '' };
    const { status, message } = isOwn ? own : common;
    await context.setStatus('workload', status, message);
    return undefined;
  };
}

/** Returns the hook that the unit's agent says has failed. */
function failedHook(view: Reader<Entities>, unit: string): string | undefined {
  const agent = view.get('status', statusId('unit-agent', unit));
  if (agent?.status !== 'error') return undefined;
  return /^hook failed: "([^"]+)"/.exec(agent.message)?.[1];
}

/** Returns the status that most units of each application have, among those that a charm ends its start with. */
function usualStatuses(view: Reader<Entities>): ReadonlyMap<string, UsualStatus> {
  const counts = new Map<string, Map<string, number>>();
  for (const { name, application } of view.list('unit')) {
    const { status, message } = view.get('status', statusId('workload', name)) ?? {};
    if (status !== 'active' && status !== 'blocked' && status !== 'unknown') continue;
    const known = counts.get(application) ?? new Map<string, number>();
    const key = JSON.stringify({ status, message });
    counts.set(application, known.set(key, (known.get(key) ?? 0) + 1));
  }
  return new Map(
    [...counts].map(([application, known]) => {
      const [most] = [...known].sort(([, a], [, b]) => b - a);
      return [application, JSON.parse(most![0]) as UsualStatus];
    }),
  );
}

/** Returns the middle of each hook's durations over all applications. */
function middleByHook(hooks: KnownDurations['hooks']): ReadonlyMap<string, number> {
  const all = new Map<string, number[]>();
  for (const [key, ms] of Object.entries(hooks)) {
    const hook = key.slice(key.indexOf(' ') + 1);
    const known = all.get(hook);
    if (known) known.push(ms);
    else all.set(hook, [ms]);
  }
  return new Map(
    [...all].map(([hook, known]) => [hook, known.sort((a, b) => a - b)[Math.floor(known.length / 2)]!]),
  );
}
