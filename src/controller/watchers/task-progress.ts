import type { DocumentChange } from './dispatch.ts';
import type { Entities } from '../../core/kinds.ts';
import type { TaskDoc } from '../../core/task/document.ts';
import { JujuError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Watcher } from '../facade.ts';
import type { Services } from '../services.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch'>;
  readonly modelUuid: string;
}

/**
 * Lines of a task's log, each once, as JSON {timestamp, message}; the watcher goes on after the task's end, as Juju's
 * does.
 */
export class TaskProgress implements Watcher {
  readonly #needs: Needs;
  readonly #task: string;
  readonly #unsubscribe: () => void;
  /** Number of lines that have been handed out. */
  #sentCount = 0;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor(needs: Needs, task: string) {
    this.#needs = needs;
    this.#task = task;
    this.#unsubscribe = needs.services.dispatch.on(needs.modelUuid, `task ${task}`, () => this.#wake());
  }

  /** Takes the lines that are there now; may be empty. */
  take(): string[] {
    const { store, modelUuid } = this.#needs;
    const lines = (store.read().in(modelUuid).get('task', this.#task)?.log ?? []).slice(this.#sentCount);
    this.#sentCount += lines.length;
    return lines.map(({ timestamp, message }) => JSON.stringify({ timestamp, message }));
  }

  async next(): Promise<string[]> {
    for (;;) {
      if (this.#stopped) throw new JujuError('stopped', 'watcher has been stopped');
      const lines = this.take();
      if (lines.length > 0) return lines;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** True when a change of a task only adds progress, which watchers that do not show it can ignore. */
export function isProgress({ before, after }: Pick<DocumentChange<TaskDoc>, 'before' | 'after'>): boolean {
  if (!before || !after) return false;
  return (before.log?.length ?? 0) !== (after.log?.length ?? 0);
}
