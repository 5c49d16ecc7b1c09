import { defined } from '../../core/defined.ts';
import { hasCode } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import type { ProgramHost } from '../program/host.ts';
import { mirrorRefs } from '../mirror-refs.ts';
import type { MachineWorld } from './world.ts';

/** Interval between checks of the machine: an interface may have got or lost an address. */
const lookAgainMs = 60_000;

/** Reports what the agent sees of its machine, and makes a dying machine dead once nothing keeps it. */
export class Machiner {
  readonly #world: MachineWorld;
  readonly #facts: () => MachineAgentMethods['Started']['params'];
  readonly #programs: ProgramHost | undefined;
  readonly #onRemoved: () => void;
  /** Facts reported last, as JSON. */
  #reported = '';

  constructor(
    world: MachineWorld,
    needs: {
      facts: () => MachineAgentMethods['Started']['params'];
      programs: ProgramHost | undefined;
      onRemoved: () => void;
    },
  ) {
    this.#world = world;
    this.#facts = needs.facts;
    this.#programs = needs.programs;
    this.#onRemoved = needs.onRemoved;
  }

  /**
   * Reports the machine as started, its facts when they have changed, and that it is dead once it is dying and nothing
   * impedes it (unit-agent.md#machine-reports). Returns the time after which to look again, in milliseconds.
   */
  async pass(signal: AbortSignal): Promise<number | void> {
    const { mirror, machineId, api, log } = this.#world;
    if (!mirror.complete) return;
    const machine = mirror.machine();
    if (!machine || machine.life === 'dead') return this.#onRemoved();
    const program = this.#program();
    const facts = { ...this.#facts(), ...defined({ program }) };
    const report = JSON.stringify(facts);
    if (report !== this.#reported) {
      await api.call('Started', facts, { signal });
      this.#reported = report;
      await this.#programs?.confirm();
    }
    const refs = mirrorRefs(mirror, machineId);
    if (machine.life === 'alive' || isImpeded({ kind: 'machine', id: machineId }, refs)) return lookAgainMs;
    const stopped = { kind: 'machine-agent' as const, unit: '', status: 'stopped', message: '' };
    await api.call('SetStatus', stopped, { signal });
    try {
      await api.call('MachineDead', {}, { signal });
    } catch (error) {
      // The machine got a unit or container meanwhile: the stream will tell.
      if (hasCode(error, 'machine has assigned units')) return lookAgainMs;
      if (hasCode(error, 'machine is hosting containers')) return lookAgainMs;
      throw error;
    }
    log.info('machine is dead');
    this.#onRemoved();
  }

  #program(): MachineAgentMethods['Started']['params']['program'] {
    if (!this.#programs) return undefined;
    const failed = this.#programs.failure();
    return { build: this.#programs.build, ...defined({ failed }) };
  }
}
