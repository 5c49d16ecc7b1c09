/** What agents know of their machines' providers: this, and no more of any provider, is in what they run. */
import { machines as local } from './clouds/local/machines.ts';
import { machines as lxd } from './clouds/lxd/machines.ts';
import { machinesElsewhere, type MachineTraits } from './contract/machine-traits.ts';

const traits: ReadonlyMap<string, MachineTraits> = new Map([
  ['local', local],
  ['lxd', lxd],
]);

/** Of the machines of a provider, also one from elsewhere. */
export function traitsOf(providerType: string): MachineTraits {
  return traits.get(providerType) ?? machinesElsewhere;
}

/** Of the containers on any machine: each is a sandbox, as local machines are, and has none itself. */
export const containerTraits: MachineTraits = without(local, 'nested');

function without(traits: MachineTraits, key: keyof MachineTraits): MachineTraits {
  return Object.fromEntries(Object.entries(traits).filter(([one]) => one !== key));
}
