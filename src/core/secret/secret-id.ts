import { notValid } from '../errors.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';
const idPattern = /^[0-9a-v]{19}[0g]$/;
const uriPattern = /^(?:secret:(?:\/\/)?)?(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/)?([0-9a-z]+)$/;

/** Makes a secret's id of a random uuid (secrets.md#identity). */
export function secretIdOf(uuid: string): string {
  // The digits that are the same in every uuid are left out: version and variant.
  const hex = uuid.replaceAll('-', '');
  const digits = hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(17, 26);
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

export function isSecretId(text: string): boolean {
  return idPattern.test(text);
}

/** A secret as people and charms name it (secrets.md#identity). */
export interface SecretUri {
  readonly id: string;
  /** The model that it is in; absent = the caller's. */
  readonly model?: string;
}

/** Reads a URI or a bare id. Errors: `not valid`. */
export function parseSecretUri(text: string): SecretUri {
  const uri = readSecretUri(text);
  if (!uri) throw notValid(`secret URI ${JSON.stringify(text)} not valid`);
  return uri;
}

/** As parseSecretUri; undefined for anything else, such as a label. */
export function readSecretUri(text: string): SecretUri | undefined {
  if (text.length > 100) return undefined;
  const match = uriPattern.exec(text);
  if (!match || !isSecretId(match[2]!)) return undefined;
  return match[1] === undefined ? { id: match[2]! } : { id: match[2]!, model: match[1] };
}
