import type { SimulatedController } from './controller-process.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import type { MachineHost } from '../../forecast/world/machine-host.ts';
import type { Scheduler } from '../../forecast/world/scheduler.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';

const tickMs = 1_000;
const hourMs = 3_600_000;
const partitionMs = 300_000;
const clockJumpMs = 600_000;
/** Maximum number of steps until a chosen process crashes, so that it crashes in the middle of something. */
const soonSteps = 60;

/** Causes failures of processes and machines, by each kind's rate per hour. */
export function startChaos(options: {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly controllers: readonly SimulatedController[];
  readonly machines: readonly MachineHost[];
  readonly disconnectOperators: () => void;
}): void {
  const { scheduler, faults, controllers, machines, disconnectOperators } = options;
  const strikes = (kind: FaultKind): boolean =>
    faults.stream(kind).chance((faults.rate(kind) * tickMs) / hourMs);
  const crash = (kind: FaultKind, target: SimulatedController | MachineHost): void => {
    if (!target.up) return;
    faults.note(kind);
    if (faults.stream(kind).chance(0.3)) target.crash();
    else target.crashSoon(faults.stream(kind).int(1, soonSteps));
  };
  const jumpClocks = (target: SimulatedController | MachineHost): void => {
    for (const kind of ['clock-forward', 'clock-back'] as const) {
      if (!strikes(kind)) continue;
      faults.note(kind);
      target.jumpClock((kind === 'clock-back' ? -1 : 1) * faults.stream(kind).skewed(1, clockJumpMs));
    }
  };
  const befall = (machine: MachineHost): void => {
    if (strikes('agent-crash')) crash('agent-crash', machine);
    if (strikes('machine-reboot')) {
      faults.note('machine-reboot');
      machine.reboot();
    }
    if (strikes('machine-lost')) {
      faults.note('machine-lost');
      machine.lose(faults.stream('machine-lost').chance(0.5) ? 'stays' : 'vanishes');
    }
    if (strikes('partition')) {
      faults.note('partition');
      machine.partition(faults.stream('partition').skewed(100, partitionMs));
    }
    jumpClocks(machine);
  };
  const tick = (): void => {
    for (const controller of controllers) {
      if (strikes('controller-crash')) crash('controller-crash', controller);
      jumpClocks(controller);
    }
    for (const machine of machines) if (machine.state === 'running') befall(machine);
    if (strikes('operator-disconnect')) {
      faults.note('operator-disconnect');
      disconnectOperators();
    }
    scheduler.after(tickMs, 'world', 'tick', tick);
  };
  tick();
}
