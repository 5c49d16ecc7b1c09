/**
 * Has the agents of a model take the program that the controller has: one machine first, the others in steps once it
 * came up, and none more when one did not (docs/upgrades.md). Documents alone say what each waits for.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import { nextStep, shortBuild } from '../../core/machine/program.ts';
import type { Log } from '../../kit/log.ts';
import { askForProgram } from '../transactions/change/agent-program.ts';
import { statusOf, type View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'agent-upgrader';

type Needs = WorkerNeeds<'agentBuild' | 'dispatch' | 'environ' | 'log' | 'presence'>;

export class AgentUpgrader implements ModelWorker {
  readonly #needs: Needs;
  readonly #view: View;
  readonly #log: Log;
  readonly #ends: readonly (() => void)[];
  /** Machines that may have another program and whose agents are present. */
  readonly #outdated = new Set<string>();
  /** Agents that cannot follow by themselves, and were restarted by this process. */
  readonly #restarted = new Set<string>();

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#view = needs.store.read().in(needs.modelUuid);
    this.#log = needs.services.log.module('grigri.agent-upgrader');
    const { agentBuild, dispatch, presence } = needs.services;
    const { modelUuid } = needs;
    this.#ends =
      agentBuild === undefined
        ? []
        : [
            dispatch.on(modelUuid, 'machine', ({ before, after }) => {
              const isSame =
                before?.program === after?.program && before?.programWanted === after?.programWanted;
              if (isSame && before?.life === after?.life) return;
              this.#note((after ?? before)!.id);
              needs.wake();
            }),
            presence.watch((model, machine) => {
              if (model !== modelUuid) return;
              this.#note(machine);
              needs.wake();
            }),
          ];
    for (const { id } of agentBuild === undefined ? [] : this.#view.list('machine')) this.#note(id);
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const build = services.agentBuild;
    if (build === undefined) return;
    await this.#restartOld(build, signal);
    const count = (state: 'asked' | 'failed'): number =>
      [...this.#view.find('machine', 'programChange', state)].filter(
        ({ programWanted }) => programWanted?.build === build,
      ).length;
    let step = nextStep({
      changed: this.#view.count('machine', 'build', build),
      asked: count('asked'),
      failed: count('failed'),
    });
    const machines: string[] = [];
    for (const id of this.#outdated) {
      if (step === 0) break;
      this.#outdated.delete(id);
      if (!this.#isOutdated(id, build)) continue;
      machines.push(id);
      step--;
    }
    if (machines.length === 0) return;
    this.#log.info('agents are to take another program', {
      build: shortBuild(build),
      machines: machines.join(', '),
    });
    await store.change((tx) => askForProgram(tx.in(modelUuid), { machines, build }), by);
  }

  /** Restarts agents that were asked but cannot replace themselves, where the cloud can. */
  async #restartOld(build: string, signal: AbortSignal): Promise<void> {
    const { services, modelUuid, store } = this.#needs;
    const asked = [...this.#view.find('machine', 'programChange', 'asked')];
    for (const { id, program, instance, programWanted } of asked) {
      if (program || !instance || programWanted?.build !== build || this.#restarted.has(id)) continue;
      signal.throwIfAborted();
      this.#restarted.add(id);
      const { restartAgent } = services.environ(modelUuid, store.read().in(modelUuid));
      try {
        await restartAgent?.(instance.id, id);
      } catch (error) {
        this.#log.warning('cannot restart an agent', { machine: id, error });
      }
    }
  }

  #note(id: string): void {
    const build = this.#needs.services.agentBuild;
    if (build === undefined) return;
    if (this.#isOutdated(id, build)) this.#outdated.add(id);
    else this.#outdated.delete(id);
  }

  #isOutdated(id: string, build: string): boolean {
    const machine = this.#view.get('machine', id);
    if (!machine || machine.life !== 'alive' || machine.isController) return false;
    if (machine.program?.build === build || machine.programWanted?.build === build) return false;
    if (!this.#needs.services.presence.isPresent(this.#needs.modelUuid, id)) return false;
    return machine.program !== undefined || this.#canRestart(machine);
  }

  /** Whether a running agent that cannot replace itself can be restarted with another program. */
  #canRestart({ id, instance, createdAt }: MachineDoc): boolean {
    const { store, services, modelUuid } = this.#needs;
    if (!instance || statusOf(this.#view, 'machine-agent', id, createdAt).status !== 'started') return false;
    return services.environ(modelUuid, store.read().in(modelUuid)).restartAgent !== undefined;
  }
}
