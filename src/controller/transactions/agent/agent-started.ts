import type { Address, MachineDoc } from '../../../core/machine/document.ts';
import { isIpv4, isIpv6 } from '../../../core/cidr.ts';
import { shortBuild } from '../../../core/machine/program.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { mergedModelConfig } from '../../../core/model/config.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { parseSshKey } from '../../../core/model/ssh-keys.ts';
import { putAddresses } from './put-addresses.ts';
import { mustGet, setStatus, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

interface ReportedAddress {
  readonly value: string;
  readonly scope?: string | undefined;
  readonly cidr?: string | undefined;
  readonly interfaceName?: string | undefined;
  readonly macAddress?: string | undefined;
}

/**
 * Records that the machine's agent has started, or sees other facts of its machine than before. Errors: `not found`;
 * `quota limit exceeded`.
 */
export function agentStarted(
  tx: Tx,
  args: {
    readonly machine: string;
    readonly hostname: string;
    readonly addresses: readonly ReportedAddress[];
    readonly hardware: Hardware;
    readonly hostKeys?: readonly string[];
    readonly program?: MachineDoc['program'];
  },
): void {
  const { program: _, ...machine } = mustGet(tx, 'machine', args.machine);
  const { program } = args;
  const instance = machine.instance && {
    ...machine.instance,
    hardware: { ...args.hardware, ...machine.instance.hardware },
  };
  putAddresses(tx, {
    ...machine,
    addresses: mergeAddresses(machine.addresses, addressesOf(args.addresses), ignoresAgents(tx)),
    hostname: args.hostname,
    ...defined({ instance, program, hostKeys: args.hostKeys && readHostKeys(args.hostKeys) }),
  });
  const { failed } = program ?? {};
  const words = failed
    ? `it goes on with program ${shortBuild(program!.build)}: ${shortBuild(failed.build)} did not come up: ${failed.message}`
    : '';
  setStatus(tx, 'machine-agent', machine.id, 'started', words);
}

/** Host keys that were reported, without invalid lines. Errors: `quota limit exceeded`. */
export function readHostKeys(reported: readonly string[]): string[] {
  checkLimit(limits.hostKeys, reported.length);
  // Comments name who made the keys, which nobody needs.
  return reported.flatMap((line) => {
    const [type = '', blob = ''] = line.trim().split(/[ \t]+/, 2);
    // A line with options before the key begins with them.
    return parseSshKey(line)?.type === type ? [`${type} ${blob}`] : [];
  });
}

/**
 * Addresses that were reported, without invalid ones: clients write them into configurations and command lines. Errors:
 * `quota limit exceeded`.
 */
function addressesOf(reported: readonly ReportedAddress[]): ReportedAddress[] {
  checkLimit(limits.machineAddresses, reported.length);
  return reported.filter(({ value }) => isIpv4(value) || isIpv6(value));
}

/** Whether the model ignores addresses that only agents see. */
function ignoresAgents(tx: Tx): boolean {
  const model = tx.in('').get('model', tx.space);
  return mergedModelConfig(model?.config ?? {})['ignore-machine-addresses'];
}

/**
 * The provider's addresses, completed with what the agent reports of them, followed by addresses that only the agent
 * sees, unless these are ignored.
 */
function mergeAddresses(
  known: MachineDoc['addresses'],
  reported: readonly ReportedAddress[],
  onlyProviders: boolean,
): Address[] {
  const described = known.flatMap((address) => {
    if (onlyProviders && address.origin === 'machine') return [];
    const match = reported.find((one) => one.value === address.value);
    if (match) return [{ ...address, ...interfaceOf(match) }];
    return address.origin === 'machine' ? [] : [address];
  });
  if (onlyProviders) return described;
  const added = reported
    .filter(
      (address) => address.scope !== 'local-machine' && !known.some(({ value }) => value === address.value),
    )
    .map((address): Address => ({
      value: address.value,
      type: address.value.includes(':') ? 'ipv6' : 'ipv4',
      scope: 'local-cloud',
      origin: 'machine',
      ...interfaceOf(address),
    }));
  return [...described, ...added];
}

function interfaceOf({ cidr, interfaceName, macAddress }: ReportedAddress): Partial<Address> {
  return {
    ...defined({
      cidr: cidr || undefined,
      interfaceName: interfaceName || undefined,
      macAddress: macAddress || undefined,
    }),
  };
}
