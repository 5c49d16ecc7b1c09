/**
 * Sealed texts in documents that go to another controller, which has another key: they travel opened, over TLS, and are
 * sealed again where they arrive (migration.md#opened-on-the-way).
 */
import type { Sealer } from '../sealer.ts';

const sealedPrefix = 'sealed:';
/** Member of the object that stands for a text which is to be sealed. */
const clearMember = 'grigri:sealed';

/** A copy of the value with an object in the place of each text that this controller has sealed. */
export function opened(value: unknown, sealer: Pick<Sealer, 'open'>): unknown {
  return mapped(value, (one) => {
    if (typeof one !== 'string' || !one.startsWith(sealedPrefix)) return undefined;
    try {
      return { [clearMember]: sealer.open(one) };
    } catch {
      // A user's text that only begins like a sealed one stays as it is.
      return undefined;
    }
  });
}

/** A copy of what `opened` returned, with the texts sealed by this controller. */
export function sealed(value: unknown, sealer: Pick<Sealer, 'seal'>): unknown {
  return mapped(value, (one) => {
    if (typeof one !== 'object' || one === null) return undefined;
    const text = (one as Record<string, unknown>)[clearMember];
    return typeof text === 'string' && Object.keys(one).length === 1 ? sealer.seal(text) : undefined;
  });
}

/** Replaces the values for which `replace` returns another one; the depth of documents is limited when they are put. */
function mapped(value: unknown, replace: (one: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((one) => mapped(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, replace)]));
}
