import type { TaskRecord } from '../../wire/agent-records.ts';
import { commandOf, execName, execOutcome, inTurn, timeoutOf } from '../unit/exec-task.ts';
import { Tasks, type TaskOutcome, type TaskSignals } from '../unit/tasks.ts';
import type { RunCommand } from './run-command.ts';
import { machineEnvironment } from './system-settings.ts';
import type { MachineWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/** Commands that run on a machine at the same time. */
const mostAtOnce = 100;

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
    await this.#tasks.runAll((task, signals) => this.#run(task, signals), signal, mostAtOnce);
  }

  async #run(task: TaskRecord, { signal, cancel }: TaskSignals): Promise<TaskOutcome> {
    if (task.name !== execName)
      return { status: 'failed', message: `action "${task.name}" not defined on machines`, output: {} };
    const timeoutMs = timeoutOf(task);
    const environment = machineEnvironment(this.#world.mirror);
    const limits = { signal, cancel, environment, ...defined({ timeoutMs }) };
    const either = AbortSignal.any([signal, cancel]);
    return inTurn(this.#world.lock, task, either, async () =>
      execOutcome(await this.#runCommand(commandOf(task), limits)),
    );
  }
}
