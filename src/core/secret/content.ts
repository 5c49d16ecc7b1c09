import { JujuError, notValid } from '../errors.ts';
import { limits } from '../limits.ts';

/** The content of a secret: key → value in base64. */
export type SecretContent = Readonly<Record<string, string>>;

// Each way to match has one reading only, so time stays linear in the length.
const keyPattern = /^[a-z](?:-?[a-z0-9]){2,}$/;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks keys, values and sizes (secrets.md#contents). Errors: `not valid`. */
export function checkContent(content: SecretContent): void {
  const entries = Object.entries(content);
  if (entries.length === 0) throw notValid('empty secret value not valid');
  if (entries.length > limits.secretKeys.max)
    throw new JujuError('not valid', `secret with more than ${limits.secretKeys.max} keys not valid`);
  let total = 0;
  for (const [key, value] of entries) {
    checkSecretKey(key);
    if (!base64Pattern.test(value)) throw notValid(`value of secret key "${key}" is not base64`);
    total += value.length;
    if (value.length > limits.secretContent.max)
      throw notValid(`secret content for key "${key}" too large: ${value.length} bytes`);
  }
  if (total > limits.secretContent.max) throw notValid(`secret content too large: ${total} bytes`);
}

/** Checks the name of a value. Errors: `not valid`. */
export function checkSecretKey(key: string): void {
  if (key.length > limits.secretKey.max || !keyPattern.test(key))
    throw notValid(`secret key ${JSON.stringify(key.slice(0, limits.secretKey.max))} not valid`);
}

/** The text whose SHA-256 is a content's checksum: a JSON object with sorted keys. */
export function checksumText(content: SecretContent): string {
  const keys = Object.keys(content).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(content[key])}`).join(',')}}`;
}
