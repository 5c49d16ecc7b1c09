import type { MachineTraits } from '../../contract/machine-traits.ts';

/** What the environment of a sandbox's first process says of it. */
export const sandboxMark = { name: 'container', value: 'grigri' } as const;

/**
 * Sandboxes. Without one, where the host gives none, the machine is a process of the controller's host, which it must not
 * reboot.
 */
export const machines: MachineTraits = {
  reboots: () => process.env[sandboxMark.name] === sandboxMark.value,
  nested: 'lower root',
  beginsAsHost: true,
};
