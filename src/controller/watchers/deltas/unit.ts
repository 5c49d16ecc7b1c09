import { formatBase } from '../../../core/base.ts';
import type { Address, MachineDoc } from '../../../core/machine/document.ts';
import { openRanges, parsePortRange } from '../../../core/ports.ts';
import { shownStatus } from '../../../core/unit/shown-status.ts';
import type { DeltaScope } from './delta.ts';
import { statusInfo } from './status-info.ts';

export function unitBody(
  { reader, modelUuid, services }: DeltaScope,
  name: string,
): Record<string, unknown> | undefined {
  const unit = reader.get('unit', name);
  if (!unit) return undefined;
  const machine = unit.machine === undefined ? undefined : reader.get('machine', unit.machine);
  const present = unit.machine !== undefined && services.presence.isPresent(modelUuid, unit.machine);
  const { agent, workload } = shownStatus(unit, reader, present);
  const ranges = openRanges(unit.ports).map(parsePortRange);
  return {
    name,
    application: unit.application,
    base: formatBase(unit.base),
    'charm-url': unit.charmUrl,
    life: unit.life,
    'public-address': address(machine, ['public', 'local-cloud']),
    'private-address': address(machine, ['local-cloud', 'public']),
    'machine-id': unit.machine ?? '',
    ports: ranges.map(({ protocol, fromPort }) => ({ protocol, number: fromPort })),
    'port-ranges': ranges.map(({ protocol, fromPort, toPort }) => ({
      'from-port': fromPort,
      'to-port': toPort,
      protocol,
    })),
    principal: unit.principal ?? '',
    subordinate: unit.principal !== undefined,
    'workload-status': statusInfo(workload),
    'agent-status': statusInfo(agent, unit.deployed ? services.version : ''),
  };
}

/** First address of the machine in the first of `scopes` in which it has any. */
function address(machine: MachineDoc | undefined, scopes: readonly Address['scope'][]): string {
  for (const scope of scopes) {
    const found = machine?.addresses.find((one) => one.scope === scope);
    if (found) return found.value;
  }
  return '';
}
