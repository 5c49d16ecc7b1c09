import { JujuError } from '../../../core/errors.ts';
import type { AttributeSchema, Environ, ProviderConfig } from '../../contract/provider.ts';
import { validateConfig } from '../../toolkit/validate-config.ts';
import type { Zones } from './zones.ts';
import { defined } from '../../../core/defined.ts';

export const configSchema: AttributeSchema = {
  init: {
    type: 'string',
    description:
      'The first process of a machine: auto (systemd where it is installed and comes up, else minimal), minimal (runs only the agent), or systemd (required: the start fails without it)',
    default: 'auto',
    values: ['auto', 'minimal', 'systemd'],
  },
  'base-mismatch': {
    type: 'string',
    description:
      "Machines of a base other than the host's and without a local image: warn (they run on the host's files, with a warning) or refuse",
    default: 'warn',
    values: ['warn', 'refuse'],
  },
  zones: {
    type: 'string',
    description: 'Names of zones to spread machines over, comma-separated',
    default: '',
  },
  'unavailable-zones': {
    type: 'string',
    description: 'Zones in which nothing is started, comma-separated',
    default: '',
  },
};

export const boilerplate = `# Machines are sandboxes on this host: no setting is required.
clouds:
  my-local:
    type: local
    # auto | systemd | minimal: the first process of every machine.
    # warn | refuse: machines of a base that is neither the host's nor an image's (local-image add).
    # zones: names to spread machines over; they are all on this host. unavailable-zones: those of them that are not used.
    # config: {init: auto, base-mismatch: warn, zones: 'z1,z2,z3', unavailable-zones: ''}
    auth-types: [empty]
    regions: {localhost: {}}
`;

export type BaseMismatch = 'warn' | 'refuse';

/** Validates the provider's settings. Errors: JujuError `not valid`. */
export function validate(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig {
  const zones = namesOf(config, 'zones');
  const unavailable = namesOf(config, 'unavailable-zones');
  const unknown = unavailable.filter((name) => !zones.includes(name));
  if (unknown.length > 0)
    throw new JujuError('not valid', `unavailable-zones: not among the zones: ${unknown.join(', ')}`);
  const named = { ...config, zones: zones.join(','), 'unavailable-zones': unavailable.join(',') };
  return validateConfig(configSchema, named, previous);
}

export function baseMismatchOf(config: ProviderConfig): BaseMismatch {
  return config['base-mismatch'] === 'refuse' ? 'refuse' : 'warn';
}

export function zonesOf(config: ProviderConfig): Zones {
  return { names: namesOf(config, 'zones'), unavailable: namesOf(config, 'unavailable-zones') };
}

/** Parses `z1,z2`, or a list as clouds.yaml may contain it. */
function namesOf(config: ProviderConfig, key: string): string[] {
  const value = config[key] ?? '';
  const names = (Array.isArray(value) ? value : [value])
    .flatMap((part) => String(part).split(','))
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name));
  if (wrong !== undefined) throw new JujuError('not valid', `${key}: "${wrong}" is not a valid zone name`);
  return [...new Set(names)];
}

/** Container types of machines with a network of their own: nested sandboxes, under the type name that charms use. */
export const containerTypes: readonly string[] = ['lxd'];

/** Returns the constraints vocabulary. `containers`: available types, if any; `zones`: names. */
export function constraintsFor(
  arch: string,
  containers: readonly string[],
  zones: readonly string[],
): Environ['constraints'] {
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
      ...(zones.length > 0 ? [] : (['zones'] as const)),
      'allocate-public-ip',
      'image-id',
    ],
    conflicts: [],
    vocabulary: {
      arch: [arch],
      ...defined({
        container: containers.length > 0 ? ['none', ...containers] : undefined,
        zones: zones.length > 0 ? zones : undefined,
      }),
    },
  };
}

/** Returns the host's architecture in Juju's terms. */
export function hostArch(): string {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ppc64: 'ppc64el' };
  return names[process.arch] ?? process.arch;
}
