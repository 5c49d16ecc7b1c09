import type { z } from 'zod';
import type { Hardware, MachineDoc } from '../../../core/entities.ts';
import type { modelMachine } from '../../../wire/facades/model-status.ts';
import { statusOf, type View } from '../../transactions/tx.ts';

type ModelMachine = z.input<typeof modelMachine>;

export function describeMachine(view: View, machine: MachineDoc): ModelMachine {
  const { instance } = machine;
  const { status, message } = statusOf(view, 'machine-agent', machine.id, machine.createdAt);
  return {
    id: machine.id,
    ...(instance ? { 'instance-id': instance.id, 'display-name': instance.displayName } : {}),
    status,
    ...(message === '' ? {} : { message }),
    ...(machine.isController ? { 'has-vote': true, 'wants-vote': true } : {}),
    ...(instance ? { hardware: describeHardware(instance.hardware) } : {}),
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
