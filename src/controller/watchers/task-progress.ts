import type { DocumentChange } from './dispatch.ts';
import type { Entities } from '../../core/kinds.ts';
import type { TaskDoc } from '../../core/task/document.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { NewsWatcher } from './news-watcher.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch'>;
  readonly modelUuid: string;
}

/**
 * Lines of a task's log, each once, as JSON {timestamp, message}; the watcher goes on after the task's end, as Juju's
 * does.
 */
export class TaskProgress extends NewsWatcher<string[]> {
  readonly #needs: Needs;
  readonly #task: string;
  /** Number of lines that have been handed out. */
  #sentCount = 0;

  constructor(needs: Needs, task: string) {
    super();
    this.#needs = needs;
    this.#task = task;
    this.endAtStop(needs.services.dispatch.on(needs.modelUuid, `task ${task}`, () => this.wake()));
  }

  /** Takes the lines that are there now; the list may be empty. */
  take(): string[] {
    const { store, modelUuid } = this.#needs;
    const lines = (store.read().in(modelUuid).get('task', this.#task)?.log ?? []).slice(this.#sentCount);
    this.#sentCount += lines.length;
    return lines.map(({ timestamp, message }) => JSON.stringify({ timestamp, message }));
  }

  protected takeNews(): string[] | undefined {
    const lines = this.take();
    return lines.length > 0 ? lines : undefined;
  }
}

/** True when a change of a task only adds progress, which watchers that do not show it can ignore. */
export function isProgress({ before, after }: Pick<DocumentChange<TaskDoc>, 'before' | 'after'>): boolean {
  if (!before || !after) return false;
  return (before.log?.length ?? 0) !== (after.log?.length ?? 0);
}
