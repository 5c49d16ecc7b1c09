/**
 * Which parts of credentials and of clouds' configuration are secret, and how they stand in documents: sealed, from
 * before the transaction until a provider is opened.
 */
import type { AttributeSchema, ProviderConfig } from '../providers/contract/provider.ts';
import type { Sealer } from './sealer.ts';

type Attributes = Readonly<Record<string, string>>;

/** What the schema does not describe is taken for a secret. */
export function isSecretAttribute(schema: AttributeSchema | undefined, key: string): boolean {
  return !schema || !Object.hasOwn(schema, key) || schema[key]!.secret === true;
}

/** A credential's attributes as its document has them. */
export function sealAttributes(
  sealer: Sealer,
  schema: AttributeSchema | undefined,
  attributes: Attributes,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      // What only looks sealed would otherwise be opened, in vain.
      isSecretAttribute(schema, key) || value.startsWith('sealed:') ? sealer.seal(value) : value,
    ]),
  );
}

/** All of them in clear. */
export function openAttributes(sealer: Sealer, attributes: Attributes): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, sealer.open(value)]));
}

/** Configuration of a cloud or a model as its document has it: what the provider calls secret is sealed. */
export function sealConfig(sealer: Sealer, schema: AttributeSchema, config: ProviderConfig): ProviderConfig {
  return mapSecrets(schema, config, (value) => sealer.seal(JSON.stringify(value)));
}

/** As providers take it. */
export function openConfig(sealer: Sealer, schema: AttributeSchema, config: ProviderConfig): ProviderConfig {
  return mapSecrets(schema, config, (value) =>
    typeof value === 'string' && value.startsWith('sealed:')
      ? (JSON.parse(sealer.open(value)) as unknown)
      : value,
  );
}

/** As people may see it. */
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
