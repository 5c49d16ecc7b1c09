/**
 * Has the agents of a model take the program that the model has: one machine first, the others in steps once it
 * came up, and none more when one did not (docs/upgrades.md). Documents alone say what each waits for.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import { nextStep, shortBuild } from '../../core/machine/program.ts';
import type { Log } from '../../kit/log.ts';
import { askForProgram, setModelProgram } from '../transactions/change/agent-program.ts';
import { statusOf, type View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'agent-upgrader';

type Needs = WorkerNeeds<'agentBuild' | 'bundles' | 'dispatch' | 'environ' | 'log' | 'presence' | 'version'>;

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
            dispatch.on('', `model ${modelUuid}`, ({ before, after }) => {
              if (before?.program?.build === after?.program?.build) return;
              this.#noteAll();
              needs.wake();
            }),
            presence.watch((model, machine) => {
              if (model !== modelUuid) return;
              this.#note(machine);
              needs.wake();
            }),
          ];
    this.#noteAll();
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    await this.#giveProgram();
    const build = this.#build;
    if (build === undefined) return;
    if (build === services.agentBuild) await this.#restartOld(build, signal);
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

  /** Build that the agents are to have; undefined when the controller does not have it, so that they keep theirs. */
  get #build(): string | undefined {
    const { modelUuid, services } = this.#needs;
    const { agentBuild, bundles } = services;
    if (agentBuild === undefined) return undefined;
    const build = this.#view.in('').get('model', modelUuid)?.program?.build ?? agentBuild;
    return build === agentBuild || bundles.hasBuild(build) ? build : undefined;
  }

  /** Gives a model that has no program the controller's, and the controller's own model at each start. */
  async #giveProgram(): Promise<void> {
    const { modelUuid, services, store } = this.#needs;
    const { agentBuild: build, version } = services;
    const root = this.#view.in('');
    const model = root.get('model', modelUuid);
    const isControllers = root.get('controller', 'self')?.modelUuid === modelUuid;
    if (build === undefined || model?.life !== 'alive' || model.program?.build === build) return;
    if (model.program && !isControllers) return;
    await store.change((tx) => setModelProgram(tx.in(''), modelUuid, { build, version }), by);
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

  #noteAll(): void {
    if (this.#needs.services.agentBuild === undefined) return;
    for (const { id } of this.#view.list('machine')) this.#note(id);
  }

  #note(id: string): void {
    const build = this.#build;
    if (build === undefined) return;
    if (this.#isOutdated(id, build)) this.#outdated.add(id);
    else this.#outdated.delete(id);
  }

  #isOutdated(id: string, build: string): boolean {
    const machine = this.#view.get('machine', id);
    if (!machine || machine.life !== 'alive' || machine.isController) return false;
    if (machine.program?.build === build || machine.programWanted?.build === build) return false;
    if (!this.#needs.services.presence.isPresent(this.#needs.modelUuid, id)) return false;
    if (machine.program !== undefined) return true;
    return build === this.#needs.services.agentBuild && this.#canRestart(machine);
  }

  /** Whether a running agent that cannot replace itself can be restarted with another program. */
  #canRestart({ id, instance, createdAt }: MachineDoc): boolean {
    const { store, services, modelUuid } = this.#needs;
    if (!instance || statusOf(this.#view, 'machine-agent', id, createdAt).status !== 'started') return false;
    return services.environ(modelUuid, store.read().in(modelUuid)).restartAgent !== undefined;
  }
}
