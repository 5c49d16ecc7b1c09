import { existsSync } from 'node:fs';

/** What the machines of a provider are to the agents that run on them. An absent key = they cannot do that. */
export interface MachineTraits {
  /**
   * Asked on the machine: whether `shutdown -r` ends and starts this machine, and nothing else. `isInstalled`: the agent's
   * files are the machine's own, not lent by the controller's host.
   */
  readonly reboots?: (machine: { readonly isInstalled: boolean }) => boolean;
  /**
   * Its agents make containers on it, as sandboxes: over the root file system below the machine's own, which the machine
   * shows them (`lower root`), or over the machine's own files (`own root`).
   */
  readonly nested?: 'lower root' | 'own root';
  /** Its files begin as those of its host: at its first boot its agent writes the system's settings anew. */
  readonly beginsAsHost?: true;
}

/** Computers of their own, on which the agent was installed: most clouds' machines. */
export const machinesElsewhere: MachineTraits = {
  reboots: ({ isInstalled }) => isInstalled && takesOrders(),
};

/** The first process is systemd or sysvinit. */
function takesOrders(): boolean {
  return existsSync('/run/systemd/system') || existsSync('/run/initctl');
}
