import { parseBool } from '../../../core/parse-bool.ts';
import { JujuError } from '../../../core/errors.ts';
import { readYamlValue } from '../../../kit/yaml/read.ts';

/**
 * The options that a client sends, in a map of texts and in YAML keyed by application; the map wins. `trust` is the
 * application's own. Errors: `not valid`.
 */
export function readSettings(
  application: string,
  texts: Readonly<Record<string, string>>,
  yaml: string,
): { values: Record<string, unknown>; trust?: boolean } {
  const { trust, ...values } = { ...settingsOf(application, yaml), ...texts } as Record<string, unknown>;
  return trust === undefined ? { values } : { values, trust: readTrust(trust) };
}

function settingsOf(application: string, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let whole: unknown;
  try {
    whole = readYamlValue(text, { dialect: 'juju' });
  } catch (cause) {
    if (cause instanceof JujuError) throw cause;
    throw new JujuError('not valid', `cannot parse settings data: ${(cause as Error).message}`, { cause });
  }
  if (!isMap(whole)) throw new JujuError('not valid', 'cannot parse settings data: expected a map');
  const own = whole[application];
  if (own === null) return {};
  if (isMap(own)) return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
  throw new JujuError('not valid', `no settings found for "${application}"`);
}

function readTrust(value: unknown): boolean {
  const trust = typeof value === 'boolean' ? value : parseBool(String(value));
  if (trust === undefined)
    throw new JujuError('not valid', `option "trust" expected bool, got "${String(value)}"`);
  return trust;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
