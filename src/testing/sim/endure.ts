/** A day with many agents, run twice to check that both runs are equal, and to measure the speed. */
import { performance } from 'node:perf_hooks';
import { createWorld } from './create-world.ts';
import type { Terminal } from './simulate.ts';
import { faultKinds, type FaultRates } from '../../forecast/world/faults.ts';
import type { SimOperator, World } from './world.ts';

interface Endurance {
  readonly seed: number;
  readonly hours: number;
  /** Number of agents; each has a machine with one unit. */
  readonly agents: number;
}

const hourMs = 3_600_000;
const unitsOfApplication = 10;
const askAgainMs = 5_000;

/** Faults of an ordinary day; a lost machine and a refused credential would need an operator. */
const ordinary: FaultRates = {
  'controller-crash': 0.1,
  'agent-crash': 0.05,
  'machine-reboot': 0.02,
  partition: 0.02,
  'clock-forward': 0.01,
  'clock-back': 0.01,
  'operator-disconnect': 0.5,
  'message-late': 0.0002,
  'message-lost': 0.00005,
  'answer-lost': 0.00005,
  'answers-reordered': 0.0005,
  'connection-reset': 0.00005,
  'connection-half-open': 0.00005,
  'connection-refused': 0.01,
  'disk-slow': 0.001,
  'disk-error': 0.0002,
  'crash-before-durable': 0.00002,
  'crash-after-durable': 0.00002,
  'cloud-transient': 0.02,
  'cloud-zonal': 0.02,
  'cloud-quota': 0.02,
  'cloud-answer-lost': 0.02,
  'cloud-slow': 0.02,
  'boot-slow': 0.05,
  'hook-failed': 0.0005,
  'hook-slow': 0.001,
  'hook-killed': 0.0005,
  'hook-reboot': 0.0005,
};

/** Runs the day twice. Returns whether both runs were equal and settled at their end. */
export async function endure(endurance: Endurance, terminal: Terminal): Promise<boolean> {
  const days = [await day(endurance, terminal), await day(endurance, terminal)];
  const [first, again] = days;
  const same = first?.hash === again?.hash;
  if (!same) terminal.say(`not deterministic: trace ${first?.hash}, then ${again?.hash}`);
  return same && days.every(({ right }) => right);
}

async function day(
  { seed, hours, agents }: Endurance,
  { say, progress }: Terminal,
): Promise<{ hash: string; right: boolean }> {
  const began = performance.now();
  const world = await createWorld({ seed, faults: ordinary });
  try {
    const isSettled = useAll(world, agents);
    for (let hour = 0; hour < hours && world.failures.length === 0; hour++) {
      await world.runFor(Math.min(1, hours - hour) * hourMs);
      progress(`hour ${hour + 1} of ${hours}`);
    }
    world.calm();
    const settled = await world.runUntil(isSettled, hourMs);
    const realMs = performance.now() - began;
    const speed = Math.round(world.now() / realMs);
    const faults = faultKinds.reduce((sum, kind) => sum + world.faults.counts[kind], 0);
    say(
      `seed ${seed}, ${agents} agents: ${(world.now() / hourMs).toFixed(1)} simulated hours, ${world.events} events, ${faults} faults in ${(realMs / 1000).toFixed(1)} s, ${speed} times as fast as real time; trace ${world.traceHash()}`,
    );
    for (const { at, process, what } of world.failures) say(`  ${Math.round(at)} ms, ${process}: ${what}`);
    if (!settled) say('  it did not come to rest');
    return { hash: world.traceHash(), right: settled && world.failures.length === 0 };
  } finally {
    await world.stop();
  }
}

/** Deploys agents in applications of ten, each related to the previous one, and changes a setting every hour. */
function useAll(world: World, agents: number): () => boolean {
  let model = '';
  let asked = false;
  const names = Array.from({ length: Math.ceil(agents / unitsOfApplication) }, (_, n) => `app${n}`);
  world.operator(async (operator) => {
    model = await operator.addModel('day');
    for (const [n, name] of names.entries()) {
      const units = Math.min(unitsOfApplication, agents - n * unitsOfApplication);
      await deploy(world, operator, { model, name, units });
      if (n > 0) await relate(world, operator, model, [`app${n - 1}:next`, `${name}:before`]);
    }
    asked = true;
    for (let hour = 1; ; hour++) {
      await operator.sleep(hourMs);
      const application = names[hour % names.length];
      const args = [{ application, generation: 'master', config: { n: String(hour) }, 'config-yaml': '' }];
      // Lost changes are made again with the next one.
      await operator.call(model, 'Application', 'SetConfigs', { Args: args }).catch(() => undefined);
    }
  });
  return () => {
    if (!asked) return false;
    const reader = world.controller.read().in(model);
    const active = [...reader.list('status')].filter(
      ({ kind, status }) => kind === 'workload' && status === 'active',
    );
    return active.length === agents && reader.count('relation') === names.length - 1;
  };
}

async function deploy(
  world: World,
  operator: SimOperator,
  { model, name, units }: { model: string; name: string; units: number },
): Promise<void> {
  const url = await operator.addCharm(model, {
    name,
    metadata: { provides: { next: { interface: 'x' } }, requires: { before: { interface: 'x' } } },
    config: { options: { n: { type: 'int', default: 0, description: 'n' } } },
  });
  const base = { name: 'ubuntu', channel: '24.04/stable' };
  const application = {
    application: name,
    'charm-url': url,
    channel: '',
    'num-units': units,
    'config-yaml': '',
    constraints: {},
    Force: false,
    'charm-origin': { source: 'local', type: 'charm', base },
  };
  while (!world.controller.read().in(model).get('application', name))
    await operator
      .call(model, 'Application', 'Deploy', { applications: [application] })
      .catch(() => operator.sleep(askAgainMs));
}

async function relate(
  world: World,
  operator: SimOperator,
  model: string,
  endpoints: readonly [string, string],
): Promise<void> {
  const before = world.controller.read().in(model).count('relation');
  while (world.controller.read().in(model).count('relation') === before)
    await operator
      .call(model, 'Application', 'AddRelation', { endpoints })
      .catch(() => operator.sleep(askAgainMs));
}
