import { JujuError } from '../../core/errors.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { commandOf, execName, execOutcome, inTurn, timeoutOf } from '../unit/exec-task.ts';
import { fitOutcome } from '../unit/fit-output.ts';
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
  readonly #forced = new AbortController();

  constructor(world: MachineWorld, runCommand: RunCommand) {
    this.#world = world;
    this.#runCommand = runCommand;
    const { machineId: receiver, api, mirror } = world;
    this.#tasks = new Tasks({ receiver, api, mirror, forced: this.#forced.signal, lost: 'action cancelled' });
  }

  /** Must be called when the mirror has changed. */
  onChange(): void {
    const { mirror } = this.#world;
    const machine = mirror.machine();
    if (machine && machine.life !== 'alive' && (machine.forced || mirror.model()?.forced))
      this.#forced.abort(new JujuError('action no longer available', 'machine is removed by force'));
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
    return inTurn(this.#world.lock, task, { signal, cancel }, async () => {
      const result = await this.#runCommand(commandOf(task), limits);
      return fitOutcome(execOutcome(result), result.cut, this.#world.log).outcome;
    });
  }
}
