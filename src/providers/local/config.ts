import { JujuError } from '../../core/errors.ts';
import type { AttributeSchema, Environ, ProviderConfig } from '../provider.ts';

export const configSchema: AttributeSchema = {
  init: {
    type: 'string',
    description:
      "The first process of a machine: minimal (runs the agent, nothing else), systemd (the host's own), or auto (systemd where the host has it)",
    default: 'minimal',
    values: ['auto', 'minimal', 'systemd'],
  },
};

export const boilerplate = `# Machines are sandboxes on this host: nothing needs to be set.
clouds:
  my-local:
    type: local
    # minimal | systemd | auto: the first process of every machine.
    # config: {init: minimal}
    auth-types: [empty]
    regions: {localhost: {}}
`;

/** Errors: JujuError `not valid`. */
export function validateConfig(config: ProviderConfig): ProviderConfig {
  const init = config['init'] ?? 'minimal';
  if (typeof init !== 'string' || !configSchema['init']?.values?.includes(init)) {
    throw new JujuError(
      'not valid',
      `init: expected one of auto, minimal, systemd, got ${JSON.stringify(init)}`,
    );
  }
  return { ...config, init };
}

/** What machines with a network of their own can hold: nested sandboxes, under the name that charms' users know. */
export const containerTypes: readonly string[] = ['lxd'];

/** `containers`: the types that there are, if any. */
export function constraintsFor(arch: string, containers: readonly string[]): Environ['constraints'] {
  return {
    unsupported: [
      ...(containers.length > 0 ? [] : (['container'] as const)),
      'cpu-power',
      'root-disk',
      'root-disk-source',
      'tags',
      'instance-role',
      'instance-type',
      'virt-type',
      'zones',
      'allocate-public-ip',
      'image-id',
    ],
    conflicts: [],
    vocabulary: { arch: [arch], ...(containers.length > 0 ? { container: ['none', ...containers] } : {}) },
  };
}

/** The host's architecture in Juju's words. */
export function hostArch(): string {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ppc64: 'ppc64el' };
  return names[process.arch] ?? process.arch;
}
