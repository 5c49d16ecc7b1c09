import type { AttributeSchema, Environ, Provider, ProviderConfig } from '../../contract/provider.ts';
import { validateConfig } from '../../toolkit/validate-config.ts';

export const authTypes: Provider['authTypes'] = { empty: {} };

/** Settings of the provider: none, since ssh provides all facts about a host. */
export const configSchema: AttributeSchema = {};

export function validate(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig {
  return validateConfig(configSchema, config, previous);
}

export const boilerplate = `# Existing hosts. Add each as a machine with: add-machine ssh:user@host
clouds:
  my-hosts:
    type: manual
    auth-types: [empty]
    # The host that bootstrap makes the controller's: user@host
    endpoint: ""
    regions: {default: {}}
`;

/** Meaning of constraints for existing hosts (placing.md#manual-constraints). */
export const constraints: Environ['constraints'] = {
  unsupported: ['cpu-power', 'instance-type', 'tags', 'virt-type', 'allocate-public-ip', 'image-id'],
  conflicts: [],
  vocabulary: { container: ['none'] },
};
