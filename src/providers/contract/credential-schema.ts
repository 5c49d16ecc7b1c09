import { credentialSchemaOfJuju } from '../../core/cloud/juju-types.ts';
import type { AttributeSchema, Provider } from './provider.ts';

/**
 * Returns the attributes of a credential of this type: those that the provider declares, or Juju's for a type of cloud
 * without a provider. Undefined = the type is unknown.
 */
export function credentialSchema(
  provider: Provider | undefined,
  type: string,
  authType: string,
): AttributeSchema | undefined {
  if (!provider) return credentialSchemaOfJuju(type, authType);
  return Object.hasOwn(provider.authTypes, authType) ? provider.authTypes[authType] : undefined;
}
