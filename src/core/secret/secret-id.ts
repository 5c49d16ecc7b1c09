import { notValid } from '../errors.ts';
import { cut } from '../limits.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';
const idPattern = /^[0-9a-v]{19}[0g]$/;
/** Maximum number of characters of a URI that an error quotes: a call may have many errors about one URI. */
const quoted = { max: 100 };
const uriPattern =
  /^(?:secret:|(?:secret:)?\/\/)?(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/)?([0-9a-z]+)$/;

/** Makes a secret's id of a time (ISO 8601) and a random uuid; ids sort by their times (secrets.md#identity). */
export function secretIdOf(time: string, uuid: string): string {
  const ms = Date.parse(time);
  const seconds = Math.floor(ms / 1000);
  // Seconds as in every xid, then milliseconds where other xids have their host.
  const digits = hexOf(seconds, 8) + hexOf(ms - seconds * 1000, 4) + uuid.replaceAll('-', '').slice(0, 12);
  let id = '';
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    value = value * 16 + Number.parseInt(digit, 16);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    id += alphabet[value >> bits];
    value &= (1 << bits) - 1;
  }
  return id + alphabet[value << (5 - bits)];
}

const hexOf = (value: number, length: number): string => value.toString(16).padStart(length, '0');

export function isSecretId(text: string): boolean {
  return idPattern.test(text);
}

/** A secret as people and charms name it (secrets.md#identity). */
export interface SecretUri {
  readonly id: string;
  /** The model that the secret is in; absent = the caller's. */
  readonly model?: string;
}

/** Reads a URI or a bare id. Errors: `not valid`. */
export function parseSecretUri(text: string): SecretUri {
  const uri = readSecretUri(text);
  if (!uri) throw notValid(`secret URI ${JSON.stringify(cut(quoted, text))} not valid`);
  return uri;
}

/** The key by which a unit's record of a secret is found: the secret's id, after its model when that is another one. */
export function joinSecretKey({ id, model }: SecretUri): string {
  return model === undefined ? id : `${model}/${id}`;
}

/** The URI for charms of a secret by its key. */
export function uriOfSecretKey(key: string): string {
  return key.includes('/') ? `secret://${key}` : `secret:${key}`;
}

/** Reads a URI as parseSecretUri does; undefined for anything else, such as a label. */
export function readSecretUri(text: string): SecretUri | undefined {
  if (text.length > 100) return undefined;
  const match = uriPattern.exec(text);
  if (!match || !isSecretId(match[2]!)) return undefined;
  return match[1] === undefined ? { id: match[2]! } : { id: match[2]!, model: match[1] };
}
