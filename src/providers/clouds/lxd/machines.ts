import { machinesElsewhere, type MachineTraits } from '../../contract/machine-traits.ts';

export const machines: MachineTraits = { ...machinesElsewhere, nested: 'own root' };
