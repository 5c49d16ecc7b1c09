import { machinesElsewhere, type MachineTraits } from '../machine-traits.ts';

export const machines: MachineTraits = { ...machinesElsewhere, nested: 'own root' };
