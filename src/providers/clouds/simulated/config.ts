import { JujuError } from '../../../core/errors.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { AttributeSchema, Environ, ProviderConfig } from '../../contract/provider.ts';
import { validateConfig } from '../../toolkit/validate-config.ts';

export const configSchema: AttributeSchema = {
  zones: { type: 'string', description: 'Availability zones, comma-separated', default: 'zone1,zone2,zone3' },
  quota: {
    type: 'int',
    description: 'Instances that the account may have; 0 is no limit',
    default: 0,
    min: 0,
  },
  'mem-max': { type: 'int', description: 'MiB of the largest instance; 0 is no limit', default: 0, min: 0 },
  'latency-ms': { type: 'int', description: 'Duration of every call of the cloud', default: 0, min: 0 },
  'start-failure-percent': {
    type: 'int',
    description: 'Percentage of starts that fail',
    default: 0,
    min: 0,
    max: 100,
  },
};

export const boilerplate = `# A simulated cloud for experiments: its instances run nothing.
clouds:
  my-simulated:
    type: simulated
    auth-types: [empty]
    regions: {simulated: {}}
    # config: {zones: "zone1,zone2,zone3", quota: 0, mem-max: 0, latency-ms: 0, start-failure-percent: 0}
`;

/** Validates the provider's settings. Errors: JujuError `not valid`. */
export function validate(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig {
  const full = validateConfig(configSchema, config, previous);
  if (zoneNames(full).length === 0) throw new JujuError('not valid', 'zones: expected at least one name');
  return full;
}

export function zoneNames(config: ProviderConfig): string[] {
  const text = config['zones'] ?? configSchema['zones']?.default;
  return (typeof text === 'string' ? text : '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/** Instance types: cores, and memory in MiB. */
const instanceTypes: Readonly<Record<string, readonly [number, number]>> = {
  small: [1, 1024],
  medium: [2, 4096],
  large: [8, 32768],
};

export const constraints: Environ['constraints'] = {
  unsupported: ['virt-type', 'cpu-power'],
  conflicts: [{ left: ['instance-type'], right: ['cores', 'mem'] }],
  vocabulary: {
    arch: ['amd64', 'arm64'],
    container: ['none', 'lxd'],
    'instance-type': Object.keys(instanceTypes),
  },
};

/** Returns the hardware of an instance with these constraints. */
export function hardwareFor(wanted: Constraints, zone: string): Hardware {
  const [cores, mem] = instanceTypes[wanted['instance-type'] ?? 'small'] ?? [1, 1024];
  return {
    arch: wanted.arch ?? 'amd64',
    cores: wanted.cores || cores,
    mem: wanted.mem || mem,
    rootDisk: wanted['root-disk'] || 8192,
    availabilityZone: zone,
  };
}

/** Returns the reason why no instance type satisfies the constraints, if there is one. */
export function refusedSize(config: ProviderConfig, { mem = 0 }: Constraints): string | undefined {
  const memoryMax = Number(config['mem-max'] ?? 0);
  return memoryMax > 0 && mem > memoryMax
    ? `no instance type has ${mem} MiB of memory, at most ${memoryMax}`
    : undefined;
}
