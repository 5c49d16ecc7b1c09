import type { Address } from '../../../core/machine/document.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { putAddresses } from '../../transactions/put-addresses.ts';
import { mustGet, setStatus } from '../../transactions/tx.ts';
import { ownMachine, refuseFormer } from './own-unit.ts';

/** The machine as its agent sees it; what the provider said of addresses comes first. */
export async function started(
  call: Call,
  params: MachineAgentMethods['Started']['params'],
): Promise<Record<string, never>> {
  await call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    refuseFormer(call, tx);
    const machine = mustGet(tx, 'machine', ownMachine(call));
    const known = machine.addresses.map((address) => {
      const seen = params.addresses.find((one) => one.value === address.value);
      return seen ? { ...address, ...pick(seen) } : address;
    });
    const news = params.addresses
      .filter((one) => one.scope !== 'local-machine' && !known.some((address) => address.value === one.value))
      .map((one): Address => ({
        value: one.value,
        type: one.value.includes(':') ? 'ipv6' : 'ipv4',
        scope: 'local-cloud',
        origin: 'machine',
        ...pick(one),
      }));
    const addresses = [...known, ...news];
    const instance = machine.instance && {
      ...machine.instance,
      hardware: { ...params.hardware, ...machine.instance.hardware },
    };
    putAddresses(tx, {
      ...machine,
      addresses,
      hostname: params.hostname,
      ...(instance ? { instance } : {}),
    });
    setStatus(tx, 'machine-agent', machine.id, 'started');
  }, call.by);
  return {};
}

function pick(one: {
  cidr?: string | undefined;
  interfaceName?: string | undefined;
  macAddress?: string | undefined;
}): Partial<Address> {
  return {
    ...(one.cidr ? { cidr: one.cidr } : {}),
    ...(one.interfaceName ? { interfaceName: one.interfaceName } : {}),
    ...(one.macAddress ? { macAddress: one.macAddress } : {}),
  };
}
