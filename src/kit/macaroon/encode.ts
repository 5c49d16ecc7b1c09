/** Macaroons as JSON of versions 1 and 2 (libmacaroons). */
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { Caveat, Macaroon } from './macaroon.ts';

/** Encodes a macaroon as JSON of version 2, as go-macaroon writes it. */
export function macaroonToJson({ location, id, caveats, signature }: Macaroon): Record<string, unknown> {
  return {
    ...(caveats.length > 0 ? { c: caveats.map(caveatToJson) } : {}),
    ...defined({ l: location || undefined }),
    ...bytesToJson('i', id),
    s64: signature.toString('base64url'),
  };
}

function caveatToJson({ id, verificationId, location }: Caveat): Record<string, unknown> {
  return {
    ...bytesToJson('i', id),
    ...defined({ v64: verificationId?.toString('base64url'), l: location }),
  };
}

/** Encodes a macaroon as JSON of version 1, whose ids are text, for clients that know no other. */
export function macaroonToFirstJson({ location, id, caveats, signature }: Macaroon): Record<string, unknown> {
  return {
    caveats: caveats.map((one) => ({
      cid: one.id.toString(),
      ...defined({ vid: one.verificationId?.toString('base64url'), cl: one.location }),
    })),
    location,
    identifier: id.toString(),
    signature: signature.toString('hex'),
  };
}

/** Text where the bytes are UTF-8, else base64 under the longer name. */
function bytesToJson(name: string, bytes: Buffer): Record<string, string> {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { [name]: text } : { [`${name}64`]: bytes.toString('base64url') };
}

/** Decodes a macaroon from parsed JSON of version 1 or 2. Errors: `not valid`, `quota limit exceeded`. */
export function macaroonFromJson(value: unknown): Macaroon {
  const object = asObject(value);
  const isFirst = object['identifier'] !== undefined;
  const list = object[isFirst ? 'caveats' : 'c'] ?? [];
  if (!Array.isArray(list)) throw invalid('the caveats are no list');
  checkLimit(limits.macaroonCaveats, list.length);
  const caveats = list.map((caveat) => (isFirst ? caveatFromFirst : caveatFromSecond)(asObject(caveat)));
  const macaroon: Macaroon = isFirst
    ? {
        location: text(object, 'location') ?? '',
        id: Buffer.from(text(object, 'identifier') ?? ''),
        caveats,
        signature: Buffer.from(text(object, 'signature') ?? '', 'hex'),
      }
    : {
        location: text(object, 'l') ?? '',
        id: bytes(object, 'i') ?? Buffer.alloc(0),
        caveats,
        signature: bytes(object, 's') ?? Buffer.alloc(0),
      };
  return checked(macaroon);
}

function caveatFromFirst(object: JsonObject): Caveat {
  const verificationId = text(object, 'vid');
  return caveat(Buffer.from(text(object, 'cid') ?? ''), {
    verificationId: verificationId === undefined ? undefined : Buffer.from(verificationId, 'base64'),
    location: text(object, 'cl'),
  });
}

function caveatFromSecond(object: JsonObject): Caveat {
  return caveat(bytes(object, 'i') ?? Buffer.alloc(0), {
    verificationId: bytes(object, 'v'),
    location: text(object, 'l'),
  });
}

/** A caveat without a verification id is a condition: an empty one counts as none. */
function caveat(
  id: Buffer,
  { verificationId, location }: { verificationId: Buffer | undefined; location: string | undefined },
): Caveat {
  if (id.length === 0) throw invalid('a caveat has no id');
  return {
    id,
    ...defined({ verificationId: verificationId?.length === 0 ? undefined : verificationId, location }),
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function asObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it is no object');
  return value as JsonObject;
}

function text(object: JsonObject, name: string): string | undefined {
  const value = object[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`"${name}" is no text`);
}

function bytes(object: JsonObject, name: string): Buffer | undefined {
  const plain = text(object, name);
  if (plain !== undefined) return Buffer.from(plain);
  const encoded = text(object, `${name}64`);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

/** Refuses what no minter makes. Errors: `not valid`, `quota limit exceeded`. */
function checked(macaroon: Macaroon): Macaroon {
  const { id, caveats, location, signature } = macaroon;
  if (signature.length !== 32) throw invalid('its signature has not 32 bytes');
  let size = id.length + location.length;
  for (const one of caveats)
    size += one.id.length + (one.verificationId?.length ?? 0) + (one.location?.length ?? 0);
  checkLimit(limits.macaroonBytes, size);
  return macaroon;
}

function invalid(reason: string): JujuError {
  return new JujuError('not valid', `macaroon not valid: ${reason}`);
}
