/**
 * Cookies of one controller, in the file format of Juju's client (client-files.md#cookies-and-ssh). Cookies that are no
 * macaroons are kept.
 */
import { readFile } from 'node:fs/promises';
import { parseJson } from '../../core/parse-json.ts';
import { expiryOf } from '../../kit/macaroon/conditions.ts';
import { cookieName, sliceFromText, sliceToText, slicesFromJson } from '../../kit/macaroon/slices.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { writePrivate } from './write-private.ts';

type Cookie = Readonly<Record<string, unknown>>;

/** Returns the slices of macaroons, in JSON, that have not expired at `now`, in milliseconds since 1970. */
export async function readMacaroons(path: string, now: number): Promise<(readonly unknown[])[]> {
  return (await readCookies(path, now)).flatMap(({ Name: name, Value: value }) => {
    if (!isMacaroon(name) || typeof value !== 'string') return [];
    try {
      return [sliceFromText(value).map(macaroonToJson)];
    } catch {
      // Unreadable macaroons are left out: the user is asked for the password.
      return [];
    }
  });
}

/** Replaces the macaroons by one slice, given in JSON. `host`: without its port. */
export async function writeMacaroon(
  path: string,
  {
    slice: json,
    host,
    now,
  }: { readonly slice: readonly unknown[]; readonly host: string; readonly now: number },
): Promise<void> {
  const slice = slicesFromJson([json])[0]!;
  const others = (await readCookies(path, now)).filter(({ Name: name }) => !isMacaroon(name));
  const time = new Date(now).toISOString();
  const cookie: Cookie = {
    Name: cookieName(slice),
    Value: sliceToText(slice),
    Domain: host,
    Path: '/',
    Secure: true,
    HttpOnly: false,
    Persistent: true,
    HostOnly: true,
    Expires: new Date(expiryOf(slice) ?? now).toISOString(),
    Creation: time,
    LastAccess: time,
    Updated: time,
    CanonicalHost: host,
  };
  await writePrivate(path, `${JSON.stringify([...others, cookie])}\n`);
}

/** Returns the cookies that have not expired. A file that cannot be read counts as empty: only a login is lost. */
async function readCookies(path: string, now: number): Promise<Cookie[]> {
  let value: unknown;
  try {
    value = parseJson(await readFile(path, 'utf8'));
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.filter((cookie: unknown): cookie is Cookie => {
    if (typeof cookie !== 'object' || cookie === null) return false;
    const expires = (cookie as Cookie)['Expires'];
    return typeof expires !== 'string' || !(Date.parse(expires) <= now);
  });
}

const isMacaroon = (name: unknown): boolean => typeof name === 'string' && name.startsWith('macaroon-');
