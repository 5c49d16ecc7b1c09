import { credentialSchemaOfJuju } from '../../core/cloud/juju-types.ts';
import type { AttributeSchema, Provider } from './provider.ts';

/**
 * Attributes of a credential of this type: those that the provider declares, or for a type of cloud without one those
 * of Juju. undefined: unknown.
 */
export function credentialSchema(
  provider: Provider | undefined,
  type: string,
  authType: string,
): AttributeSchema | undefined {
  if (!provider) return credentialSchemaOfJuju(type, authType);
  return Object.hasOwn(provider.authTypes, authType) ? provider.authTypes[authType] : undefined;
}
