/** Public keys that may log in to the machines of a model (logging-in.md#model-keys). */
import { JujuError } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';

interface SshKey {
  /** `ssh-ed25519` */
  readonly type: string;
  readonly blob: Uint8Array;
  readonly comment: string;
}

/** Returns the fingerprint of a key: MD5 as hexadecimal pairs between colons. */
type Fingerprint = (blob: Uint8Array) => string;

const types =
  'ssh-rsa|ssh-dss|ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|sk-ssh-ed25519@openssh\\.com|sk-ecdsa-sha2-nistp256@openssh\\.com';
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?';
// Each part matches in one way only, so that time stays linear.
const bare = new RegExp(`^(${types})[ \\t]+(${base64})(?:[ \\t]+(.*))?$`);
const options = /^(?:[^\s"]|"(?:[^"\\]|\\.)*")+[ \t]+/;

/** Comments of keys that are not the user's to change: the clients', and the controller's own. */
const internal: ReadonlySet<string> = new Set(['juju-client-key', 'juju-system-key']);

/** Parses a line of an authorized_keys file, with or without options; undefined when it is not a key. */
export function parseSshKey(line: string): SshKey | undefined {
  const text = line.trim();
  // eslint-disable-next-line no-control-regex
  if (text.length > limits.sshKey.max || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) return undefined;
  const match = bare.exec(text) ?? bare.exec(text.replace(options, ''));
  if (!match) return undefined;
  const [, type = '', encoded = '', comment = ''] = match;
  const blob = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
  return firstText(blob) === type ? { type, blob, comment: comment.trim() } : undefined;
}

/** The text that the blob begins with, after its length in four bytes. */
function firstText(blob: Uint8Array): string | undefined {
  if (blob.length < 4) return undefined;
  const length = new DataView(blob.buffer, blob.byteOffset).getUint32(0);
  if (length > 64 || blob.length <= 4 + length) return undefined;
  return String.fromCharCode(...blob.subarray(4, 4 + length));
}

/** Keys of the setting `authorized-keys`, one each. */
export function sshKeysOf(setting: unknown): string[] {
  if (typeof setting !== 'string') return [];
  return setting
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Lists the keys but internal ones: whole, or as fingerprints with comments. */
export function listSshKeys(
  keys: readonly string[],
  { whole, fingerprint }: { readonly whole: boolean; readonly fingerprint: Fingerprint },
): string[] {
  return keys.flatMap((line) => {
    const key = parseSshKey(line);
    if (!key) return [`Invalid key: ${line}`];
    if (internal.has(key.comment)) return [];
    return [whole ? line : `${fingerprint(key.blob)}${key.comment ? ` (${key.comment})` : ''}`];
  });
}

export interface KeysChange {
  readonly keys: readonly string[];
  /** The reason why each item of the request was passed over. */
  readonly errors: readonly (JujuError | undefined)[];
}

/** Adds keys. Errors: `quota limit exceeded`, when there would be too many. */
export function addSshKeys(
  keys: readonly string[],
  added: readonly string[],
  fingerprint: Fingerprint,
): KeysChange {
  const known = new Set(
    keys.flatMap((line) => {
      const key = parseSshKey(line);
      return key ? [fingerprint(key.blob)] : [];
    }),
  );
  const next = [...keys];
  const errors = added.map((line) => {
    const key = parseSshKey(line);
    if (!key) return new JujuError('', `invalid ssh key: ${line}`);
    if (internal.has(key.comment))
      return new JujuError('', `may not add key with comment ${key.comment}: ${line}`);
    const print = fingerprint(key.blob);
    if (known.has(print)) return new JujuError('', `duplicate ssh key: ${line}`);
    known.add(print);
    next.push(line.trim());
    return undefined;
  });
  if (next.length > keys.length) checkLimit(limits.sshKeys, next.length);
  return { keys: next, errors };
}

/**
 * Removes keys by fingerprint or comment, and broken ones by their text. Errors: '' when no key would be left, for then
 * nobody could log in.
 */
export function removeSshKeys(
  keys: readonly string[],
  removed: readonly string[],
  fingerprints: (blob: Uint8Array) => readonly string[],
): KeysChange {
  const parsed = keys.map((line) => ({ line, key: parseSshKey(line) }));
  const byName = new Map<string, { readonly line: string; readonly key: SshKey | undefined }[]>();
  for (const one of parsed) {
    const names = one.key ? [...fingerprints(one.key.blob), one.key.comment] : [one.line];
    for (const name of new Set(names)) {
      const found = byName.get(name);
      if (found) found.push(one);
      else byName.set(name, [one]);
    }
  }
  const gone = new Set<string>();
  const errors = removed.map((name) => {
    const found = (name === '' ? undefined : byName.get(name.trim())) ?? [];
    if (found.length === 0) return new JujuError('', `key not found: ${name}`);
    if (found.some(({ key }) => key && internal.has(key.comment)))
      return new JujuError('', `may not delete internal key: ${name}`);
    for (const { line } of found) gone.add(line);
    return undefined;
  });
  const next = keys.filter((line) => !gone.has(line));
  if (gone.size > 0 && next.length === 0) throw new JujuError('', 'cannot delete all keys');
  return { keys: next, errors };
}
