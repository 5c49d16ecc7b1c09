import { existsSync } from 'node:fs';

/**
 * Properties of a provider's machines that the agents on them depend on. An absent key means that the machines lack the
 * ability.
 */
export interface MachineTraits {
  /**
   * Tells, on the machine, whether `shutdown -r` restarts this machine and nothing else. `isInstalled`: the agent's
   * files belong to the machine instead of being shared by the controller's host.
   */
  readonly reboots?: (machine: { readonly isInstalled: boolean }) => boolean;
  /**
   * Agents create containers as sandboxes on the machine: over the root file system below the machine's own, which the
   * machine exposes to them (`lower root`), or over the machine's own files (`own root`).
   */
  readonly nested?: 'lower root' | 'own root';
  /** The machine's files start as a copy of its host's files; the agent rewrites the system settings at first boot. */
  readonly beginsAsHost?: true;
}

/** Traits of separate computers on which the agent is installed: the machines of most clouds. */
export const machinesElsewhere: MachineTraits = {
  reboots: ({ isInstalled }) => isInstalled && takesOrders(),
};

/** Tells whether the first process is systemd or sysvinit, which obey `shutdown`. */
function takesOrders(): boolean {
  return existsSync('/run/systemd/system') || existsSync('/run/initctl');
}
