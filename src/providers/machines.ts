/** Machine traits by provider type: the only part of any provider that is bundled with the agents. */
import { machines as local } from './clouds/local/machines.ts';
import { machines as lxd } from './clouds/lxd/machines.ts';
import { machinesElsewhere, type MachineTraits } from './contract/machine-traits.ts';

const traits: ReadonlyMap<string, MachineTraits> = new Map([
  ['local', local],
  ['lxd', lxd],
]);

/** Returns the traits of a provider's machines; external providers have those of separate computers. */
export function traitsOf(providerType: string): MachineTraits {
  return traits.get(providerType) ?? machinesElsewhere;
}

/**
 * Traits of containers on any machine: a container is a sandbox like a local machine, but cannot have containers
 * itself.
 */
export const containerTraits: MachineTraits = without(local, 'nested');

function without(traits: MachineTraits, key: keyof MachineTraits): MachineTraits {
  return Object.fromEntries(Object.entries(traits).filter(([one]) => one !== key));
}
