import type { Address, MachineDoc } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { putAddresses } from './put-addresses.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

interface SeenAddress {
  readonly value: string;
  readonly scope?: string | undefined;
  readonly cidr?: string | undefined;
  readonly interfaceName?: string | undefined;
  readonly macAddress?: string | undefined;
}

/** The machine's agent has started and reports what it sees of its machine. Errors: `not found`. */
export function agentStarted(
  tx: Tx,
  args: {
    readonly machine: string;
    readonly hostname: string;
    readonly addresses: readonly SeenAddress[];
    readonly hardware: Hardware;
  },
): void {
  const machine = mustGet(tx, 'machine', args.machine);
  const instance = machine.instance && {
    ...machine.instance,
    hardware: { ...args.hardware, ...machine.instance.hardware },
  };
  putAddresses(tx, {
    ...machine,
    addresses: withSeen(machine.addresses, args.addresses),
    hostname: args.hostname,
    ...defined({ instance }),
  });
  setStatus(tx, 'machine-agent', machine.id, 'started');
}

/** Known addresses, completed with what the agent reports of them, followed by addresses that only the agent sees. */
function withSeen(known: MachineDoc['addresses'], seen: readonly SeenAddress[]): Address[] {
  const described = known.map((address) => {
    const own = seen.find((one) => one.value === address.value);
    return own ? { ...address, ...interfaceOf(own) } : address;
  });
  const added = seen
    .filter((one) => one.scope !== 'local-machine' && !known.some(({ value }) => value === one.value))
    .map((one): Address => ({
      value: one.value,
      type: one.value.includes(':') ? 'ipv6' : 'ipv4',
      scope: 'local-cloud',
      origin: 'machine',
      ...interfaceOf(one),
    }));
  return [...described, ...added];
}

function interfaceOf({ cidr, interfaceName, macAddress }: SeenAddress): Partial<Address> {
  return {
    ...defined({
      cidr: cidr || undefined,
      interfaceName: interfaceName || undefined,
      macAddress: macAddress || undefined,
    }),
  };
}
