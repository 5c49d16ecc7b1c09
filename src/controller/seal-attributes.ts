import type { AttributeSchema } from '../providers/provider.ts';
import type { Sealer } from './sealer.ts';

/** A credential's attributes as documents have them: sealed where the schema calls one secret, or does not know it. */
export function sealAttributes(
  sealer: Sealer,
  schema: AttributeSchema | undefined,
  attributes: Readonly<Record<string, string>>,
): Record<string, string> {
  const isOpen = (key: string): boolean =>
    schema !== undefined && Object.hasOwn(schema, key) && !schema[key]!.secret;
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, isOpen(key) ? value : sealer.seal(value)]),
  );
}
