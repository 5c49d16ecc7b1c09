import type { MachineTraits } from '../../contract/machine-traits.ts';

/** Environment variable that marks the first process of a sandbox. */
export const sandboxMark = { name: 'container', value: 'grigri' } as const;

/**
 * Traits of sandboxes. Where the host permits none, a machine is a process of the controller's host, which it must not
 * reboot.
 */
export const machines: MachineTraits = {
  reboots: () => process.env[sandboxMark.name] === sandboxMark.value,
  nested: 'lower root',
  beginsAsHost: true,
};
