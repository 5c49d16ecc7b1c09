/** Contents of a dump of a model, and the values that are hidden in it (backups.md#model-dumps). */
import type { Entities, Kind } from '../kinds.ts';

/** Text that stands in a dump for a secret. */
const hidden = '*****';

/** Kinds of documents that change by themselves or record the past: a simplified dump has none of them. */
const passing: ReadonlySet<Kind> = new Set<Kind>([
  'lease',
  'operation',
  'scope',
  'sequence',
  'status',
  'stray',
  'task',
  'unit-state',
]);

/** Members whose value is a secret, or the proof of one, wherever they stand. */
const secretMembers = new Set(['nonce', 'givenUp', 'passwordHash', 'registrationKey']);

/** Marks a text that the controller has encrypted. */
const sealed = 'sealed:';

export function isDumped(kind: Kind, simplified: boolean): boolean {
  return !simplified || !passing.has(kind);
}

/** A document as a dump shows it. */
export function dumpedDocument<P extends Kind>(kind: P, doc: Entities[P]): unknown {
  const shown = withoutSecrets(doc);
  // Only the charm knows what its own state means, and whether that is secret.
  if (kind !== 'unit-state') return shown;
  const { charm, agent: _, ...rest } = shown as Record<string, unknown>;
  return { ...rest, charm: Object.fromEntries(Object.keys(charm ?? {}).map((key) => [key, hidden])) };
}

function withoutSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret || value.startsWith(sealed) ? hidden : value;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, isSecret));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, secretMembers.has(key))]),
  );
}
