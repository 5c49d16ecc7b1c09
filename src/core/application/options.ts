/** Values for a charm's options, as users give them. */
import { isMap, show } from '../charm/raw.ts';
import { notValid } from '../errors.ts';
import { parseBool } from '../parse-bool.ts';

/** The values for this application in a file that has them under its name; undefined when the file has none. */
export function optionsIn(document: unknown, application: string): Record<string, unknown> | undefined {
  const section = isMap(document) && Object.hasOwn(document, application) ? document[application] : undefined;
  if (section === null) return {};
  return isMap(section)
    ? Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null))
    : undefined;
}

/**
 * Separates `trust`, which stands among a charm's options but is a setting of the application, from the options.
 * Errors: `not valid`.
 */
export function splitTrust({ trust, ...config }: Readonly<Record<string, unknown>>): {
  config: Record<string, unknown>;
  trust?: boolean;
} {
  if (trust === undefined) return { config };
  const value = typeof trust === 'boolean' ? trust : parseBool(isScalar(trust) ? String(trust) : '');
  if (value === undefined) throw notValid(`option "trust" expected bool, got ${show(trust)}`);
  return { config, trust: value };
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
