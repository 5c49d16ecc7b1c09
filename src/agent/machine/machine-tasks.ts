import type { TaskRecord } from '../../wire/agent-records.ts';
import { commandOf, execName, execOutcome, Tasks, timeoutOf, type TaskOutcome } from '../unit/tasks.ts';
import type { RunCommand } from './run-command.ts';
import { machineEnvironment } from './system-settings.ts';
import type { MachineWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/** Runs the tasks whose receiver is the machine itself: commands, as no charm has actions for machines. */
export class MachineTasks {
  readonly #world: MachineWorld;
  readonly #runCommand: RunCommand;
  readonly #tasks: Tasks;

  constructor(world: MachineWorld, runCommand: RunCommand) {
    this.#world = world;
    this.#runCommand = runCommand;
    this.#tasks = new Tasks({ receiver: world.machineId, api: world.api, mirror: world.mirror });
  }

  /** The mirror has changed. */
  onChange(): void {
    this.#tasks.onChange();
  }

  async pass(signal: AbortSignal): Promise<void> {
    if (!this.#world.mirror.complete) return;
    const run = (task: TaskRecord, abort: AbortSignal): Promise<TaskOutcome> => this.#run(task, abort);
    while (await this.#tasks.runNext(run, signal));
  }

  async #run(task: TaskRecord, signal: AbortSignal): Promise<TaskOutcome> {
    if (task.name !== execName)
      return { status: 'failed', message: `action "${task.name}" not defined on machines`, output: {} };
    const timeoutMs = timeoutOf(task);
    const environment = machineEnvironment(this.#world.mirror);
    const limits = { signal, environment, ...defined({ timeoutMs }) };
    return this.#world.lock.hold(signal, async () =>
      execOutcome(await this.#runCommand(commandOf(task), limits)),
    );
  }
}
