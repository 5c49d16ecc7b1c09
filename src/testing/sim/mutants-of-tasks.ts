/** Bugs in how tasks are run. */
import type { Mutant } from './mutant.ts';
import { actionsOfDyingAgents } from './mutant-scripts.ts';

export const mutantsOfTasks: readonly Mutant[] = [
  {
    name: 'an action that an earlier agent had begun runs again',
    file: 'agent/unit/tasks.ts',
    find: `const isLost = task.status === 'running' && !this.#begunHere.has(id);`,
    replace: `const isLost = false;`,
    steps: actionsOfDyingAgents,
  },
  {
    name: 'a task that is being cancelled when its agent starts is forgotten',
    file: 'agent/unit/tasks.ts',
    find: `return this.#finish({ id, status, message, output: {} }, signal);`,
    replace: `return void this.#finished.add(id);`,
    steps: actionsOfDyingAgents,
  },
];
