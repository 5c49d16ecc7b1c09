/** The lines of a forecast: what changes in the model, in the words of the history. */
import { describeChange } from '../core/history/describe-change.ts';
import type { HistoryEvent, PastNames } from '../core/history/event.ts';
import type { PastChange } from '../core/history/past-change.ts';
import type { ForecastLine } from '../core/forecast/forecast.ts';
import type { Entities } from '../core/kinds.ts';
import { cut, limits } from '../core/limits.ts';
import { statusId } from '../core/status.ts';
import type { Commit, Reader } from '../store/store.ts';
import { parseTag } from '../wire/tags.ts';

export class Timeline {
  readonly lines: ForecastLine[] = [];
  /** Number of all lines. */
  count = 0;
  /** Time of the last change of each entity, in ms of the clock. */
  readonly changed = new Map<string, number>();
  readonly #now: () => number;
  readonly #view: () => Reader<Entities>;
  readonly #relations = new Map<string, string>();

  constructor(now: () => number, view: () => Reader<Entities>) {
    this.#now = now;
    this.#view = view;
  }

  /** Remembers the names of what is there at the beginning. */
  know(): void {
    for (const { id, key } of this.#view().list('relation')) this.#relations.set(String(id), key);
  }

  /** `at`: time of what is told, in ms of the clock. */
  add(entity: string, what: string, at = this.#now()): void {
    this.count++;
    if (this.lines.length < limits.forecastLines.max)
      this.lines.push({ atMs: Math.round(at), entity, what: cut(limits.forecastLine, what) });
  }

  /** Adds what the commit changes, but for each hook of each agent. */
  see({ changes }: Commit<Entities>): void {
    const view = this.#view();
    const { space } = view;
    const isSuspended = view.get('status', statusId('model', ''))?.status === 'suspended';
    for (const change of changes) {
      if (change.kind === 'relation' && change.after)
        this.#relations.set(String(change.after.id), change.after.key);
      if (change.space !== space && change.kind !== 'model') continue;
      for (const event of describeChange(change as PastChange, this.#names))
        if (isShown(event) && !(isSuspended && isAttempt(event))) {
          this.changed.set(event.subject, this.#now());
          this.add(event.subject, `${event.what}${event.detail && ` ${event.detail}`}`);
        }
    }
  }

  /** Values of options are not told: which of them are secrets is not looked up. */
  readonly #names: PastNames = {
    relationKey: (id) => this.#relations.get(id),
    isSecretOption: () => true,
    isSecretModelKey: () => true,
    entityOfTag: (tag) => {
      const { kind, id } = parseTag(tag);
      return kind === 'unit' || kind === 'application' || kind === 'machine' || kind === 'model'
        ? { kind, id }
        : undefined;
    },
  };
}

/** What is made up is left out: the model's own cloud gives other names and addresses, and other users apply files. */
function isShown({ report, what, subject }: HistoryEvent): boolean {
  const isMadeUp = /^(subnet|model file) /.test(subject) || what === 'addresses' || what === 'hostname';
  return (
    report !== 'agent-status' && !what.startsWith('data in ') && !what.startsWith('opened ') && !isMadeUp
  );
}

/** Whether it is of one of the attempts that are made again and again while starts are suspended. */
function isAttempt({ what }: HistoryEvent): boolean {
  return /^(an instance is requested|instance status (allocating|pending))/.test(what);
}
