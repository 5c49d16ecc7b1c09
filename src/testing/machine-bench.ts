/** A fake controller and one machine, whose agent is the product's, on a manual clock. */
import type { LogRecord } from '../kit/log.ts';
import { MachineAgent, type MachineAgentOptions } from '../agent/machine/machine-agent.ts';
import { FakeController } from './fake-controller.ts';
import { ManualClock } from './manual-clock.ts';
import { simulatedHosts, type SimulatedCharm, type SimulatedHosts } from './simulated-hooks.ts';

/** A controller, and one machine whose agent can be killed and started again. */
export class Bench {
  readonly clock = new ManualClock();
  readonly controller = new FakeController(this.clock);
  readonly logged: LogRecord[] = [];
  hosts: SimulatedHosts;
  agent: MachineAgent | undefined;
  /** Addresses that the machine's agent sees. */
  addresses: ReturnType<MachineAgentOptions['facts']>['addresses'] = [];
  #ids = 0;
  /** What mounts storage; absent = nothing does. */
  storage: MachineAgentOptions['storage'];
  runCommand: MachineAgentOptions['runCommand'] = (command) =>
    Promise.resolve({ kind: 'done', code: 0, reboot: '', output: { stdout: command } });

  constructor(charm?: SimulatedCharm) {
    this.hosts = simulatedHosts(charm);
  }

  start(
    bootId = 'boot-1',
    connect: MachineAgentOptions['connect'] = () => Promise.resolve(this.controller.connect()),
  ): MachineAgent {
    this.agent = new MachineAgent({
      machineId: '0',
      version: '3.6.28',
      bootId,
      connect,
      hosts: this.hosts,
      storage: this.storage,
      runCommand: (...command) => this.runCommand(...command),
      facts: () => ({
        hostname: 'h',
        addresses: this.addresses,
        hardware: { arch: 'amd64', cores: 1, mem: 1 },
        version: '3.6.28',
      }),
      clock: this.clock,
      random: () => 0.5,
      newId: () => `hook-${++this.#ids}`,
      logSink: (record) => this.logged.push(record),
    });
    return this.agent;
  }

  idle(unit: string): Promise<void> {
    return this.controller.until(() => this.agentStatus(unit) === 'idle');
  }
  agentStatus(unit: string): string | undefined {
    return this.controller.statuses
      .findLast((text) => text.startsWith(`unit-agent ${unit}: `))
      ?.split(': ')[1]
      ?.trim();
  }
  hooks(unit: string): string[] {
    return this.hosts.runs
      .filter((run) => run.startsWith(`${unit} `))
      .map((run) => run.slice(unit.length + 1));
  }
  async advanceUntil(condition: () => boolean, stepMs = 1000): Promise<void> {
    for (let step = 0; !condition(); step++) {
      if (step > 2000) throw new Error('does not come true');
      this.clock.advance(stepMs);
      // Lets pending work run over several turns of the fake network.
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const benches: Bench[] = [];
export function bench(charm?: SimulatedCharm): Bench {
  const bench = new Bench(charm);
  benches.push(bench);
  return bench;
}
/** Stops the agents of all benches. */
export async function stopBenches(): Promise<void> {
  for (const bench of benches.splice(0)) await bench.agent?.stop();
}

export type RestoreState = 'held' | 'keep' | 'rerun';

/** Tells the agents that the model was restored, and what its operator said of that. */
export function restoredAs(b: Bench, state: RestoreState): void {
  b.controller.model = { ...b.controller.model, restored: { id: 'restore-1', state } };
  b.controller.changed();
}
