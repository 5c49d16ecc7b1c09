import type { z } from 'zod';
import type { Hardware } from '../../../core/machine/hardware.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { modelMachine } from '../../../wire/facades/model-status.ts';
import { statusOf, type View } from '../../transactions/tx.ts';
import type { Call } from '../../facade.ts';
import { pauseOf } from '../shared/pause.ts';
import { defined } from '../../../core/defined.ts';

type ModelMachine = z.input<typeof modelMachine>;

/**
 * Creates a function that describes the machines of one model after the other, and counts them: a caller may name the
 * same model repeatedly.
 * Errors of the function: `quota limit exceeded`.
 */
export function machineDescriber(call: Pick<Call, 'services'>): (view: View) => Promise<ModelMachine[]> {
  const pause = pauseOf(call);
  let describedCount = 0;
  return async (view) => {
    // The first model is always described: it has a limit of its own.
    if (describedCount > 0) checkLimit(limits.machinesOfAnswer, describedCount + view.count('machine'));
    const machines: ModelMachine[] = [];
    for (const machine of view.list('machine')) {
      machines.push(describeMachine(view, machine));
      await pause();
    }
    describedCount += machines.length;
    return machines;
  };
}

function describeMachine(view: View, machine: MachineDoc): ModelMachine {
  const { instance } = machine;
  const { status, message } = statusOf(view, 'machine-agent', machine.id, machine.createdAt);
  return {
    id: machine.id,
    ...(instance ? { 'instance-id': instance.id, 'display-name': instance.displayName } : {}),
    status,
    ...defined({ message: message || undefined }),
    ...(machine.isController ? { 'has-vote': true, 'wants-vote': true } : {}),
    ...defined({ hardware: instance ? describeHardware(instance.hardware) : undefined }),
  };
}

function describeHardware(hardware: Hardware): NonNullable<ModelMachine['hardware']> {
  return {
    arch: hardware.arch,
    cores: hardware.cores,
    'cpu-power': hardware.cpuPower,
    mem: hardware.mem,
    'root-disk': hardware.rootDisk,
    tags: hardware.tags,
    'availability-zone': hardware.availabilityZone,
    'virt-type': hardware.virtType,
  };
}
