/**
 * Secret parts of credentials and of clouds' configuration: they are sealed before they enter a transaction, and stay
 * so until a provider is opened.
 */
import type { AttributeSchema, ProviderConfig } from '../providers/contract/provider.ts';
import type { Sealer } from './sealer.ts';

type Attributes = Readonly<Record<string, string>>;

/** True when the attribute is secret; so are attributes that the schema does not describe. */
export function isSecretAttribute(schema: AttributeSchema | undefined, key: string): boolean {
  return !schema || !Object.hasOwn(schema, key) || schema[key]!.secret === true;
}

/** Attributes of a credential for its document: the secret ones are sealed. */
export function sealAttributes(
  sealer: Sealer,
  schema: AttributeSchema | undefined,
  attributes: Attributes,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      // A value that only looks sealed is sealed too, so that opening it gives it back.
      isSecretAttribute(schema, key) || value.startsWith('sealed:') ? sealer.seal(value) : value,
    ]),
  );
}

/** All attributes in clear. */
export function openAttributes(sealer: Sealer, attributes: Attributes): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, sealer.open(value)]));
}

/** Configuration of a cloud or a model for its document: keys that the provider declares secret are sealed. */
export function sealConfig(sealer: Sealer, schema: AttributeSchema, config: ProviderConfig): ProviderConfig {
  return mapSecrets(schema, config, (value) => sealer.seal(JSON.stringify(value)));
}

/** Configuration in clear, for providers. */
export function openConfig(sealer: Sealer, schema: AttributeSchema, config: ProviderConfig): ProviderConfig {
  return mapSecrets(schema, config, (value) =>
    typeof value === 'string' && value.startsWith('sealed:')
      ? (JSON.parse(sealer.open(value)) as unknown)
      : value,
  );
}

/** Configuration without secrets, for people. */
export function withoutSecrets(schema: AttributeSchema, config: ProviderConfig): ProviderConfig {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !isSecretKey(schema, key)));
}

export function isSecretKey(schema: AttributeSchema, key: string): boolean {
  return Object.hasOwn(schema, key) && schema[key]!.secret === true;
}

function mapSecrets(
  schema: AttributeSchema,
  config: ProviderConfig,
  fn: (value: unknown) => unknown,
): ProviderConfig {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, isSecretKey(schema, key) ? fn(value) : value]),
  );
}
