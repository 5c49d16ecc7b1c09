import { hasCode } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import { mirrorRefs } from '../mirror-refs.ts';
import type { MachineWorld } from './world.ts';

/** Reports that the machine's agent has come, and makes a dying machine dead that nothing keeps. */
export class Machiner {
  readonly #world: MachineWorld;
  readonly #facts: () => MachineAgentMethods['Started']['params'];
  readonly #onRemoved: () => void;
  #reported = false;

  constructor(
    world: MachineWorld,
    { facts, onRemoved }: { facts: () => MachineAgentMethods['Started']['params']; onRemoved: () => void },
  ) {
    this.#world = world;
    this.#facts = facts;
    this.#onRemoved = onRemoved;
  }

  /** Reports the machine as started, and as dead once it is dying and nothing impedes it (unit-agent.md#machine-reports). */
  async pass(signal: AbortSignal): Promise<void> {
    const { mirror, machineId, api, log } = this.#world;
    if (!mirror.complete) return;
    const machine = mirror.machine();
    if (!machine || machine.life === 'dead') return this.#onRemoved();
    if (!this.#reported) {
      await api.call('Started', this.#facts(), { signal });
      this.#reported = true;
    }
    const refs = mirrorRefs(mirror, machineId);
    if (machine.life === 'alive' || isImpeded({ kind: 'machine', id: machineId }, refs)) return;
    const stopped = { kind: 'machine-agent' as const, unit: '', status: 'stopped', message: '' };
    await api.call('SetStatus', stopped, { signal });
    try {
      await api.call('MachineDead', {}, { signal });
    } catch (error) {
      // Something came meanwhile: the stream will tell.
      if (hasCode(error, 'machine has assigned units')) return;
      if (hasCode(error, 'machine is hosting containers')) return;
      throw error;
    }
    log.info('machine is dead');
    this.#onRemoved();
  }
}
