/** Slices, each of a macaroon and its discharges, as requests carry them, and macaroon-bakery's own JSON. */
import { JujuError } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';
import { macaroonFromJson, macaroonToJson } from './encode.ts';
import type { Macaroon } from './macaroon.ts';

export type Slice = readonly Macaroon[];

/** Decodes the slices of a request from parsed JSON; null is none. Errors: `not valid`, `quota limit exceeded`. */
export function slicesFromJson(value: unknown): Slice[] {
  let count = 0;
  return list(value).map((slice) =>
    list(slice).map((one) => {
      checkLimit(limits.macaroons, ++count);
      return macaroonFromJson(one);
    }),
  );
}

/** Encodes a slice as the text of a cookie or header: base64 of JSON. */
export function sliceToText(slice: Slice): string {
  return Buffer.from(JSON.stringify(slice.map(macaroonToJson))).toString('base64');
}

/** Decodes the text of a cookie or header. Errors: `not valid`, `quota limit exceeded`. */
export function sliceFromText(text: string): Slice {
  let value: unknown;
  try {
    value = parseJson(Buffer.from(text, 'base64').toString());
  } catch (cause) {
    throw new JujuError('not valid', 'macaroon not valid: it is no JSON', { cause });
  }
  return slicesFromJson([value])[0]!;
}

/** The name of a cookie for a slice, by its first signature. */
export function cookieName(slice: Slice): string {
  return `macaroon-${slice[0]?.signature.toString('hex') ?? ''}`;
}

/** Encodes a macaroon for clients of a version of macaroon-bakery: from 3, the namespace is beside it. */
export function bakeryToJson(macaroon: Macaroon, version: number, namespace: string): unknown {
  const m = macaroonToJson(macaroon);
  return version < 3 ? m : { m, v: 3, ns: namespace };
}

/** A macaroon from macaroon-bakery, with the contents of third parties' caveats whose ids are only numbers. */
interface BakeryMacaroon {
  readonly macaroon: Macaroon;
  /** Contents of caveats, by id in base64. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/** Decodes a macaroon in any version of macaroon-bakery's JSON. Errors: `not valid`, `quota limit exceeded`. */
export function bakeryFromJson(value: unknown): BakeryMacaroon {
  const { m, cdata } = (value ?? {}) as { m?: unknown; cdata?: unknown };
  if (m === undefined) return { macaroon: macaroonFromJson(value), contents: new Map() };
  const entries = typeof cdata === 'object' && cdata !== null ? Object.entries(cdata) : [];
  checkLimit(limits.macaroonCaveats, entries.length);
  const contents = new Map<string, Buffer>();
  for (const [id, content] of entries) {
    if (typeof content !== 'string') throw new JujuError('not valid', 'content of a caveat is no text');
    contents.set(Buffer.from(id, 'base64').toString('base64'), Buffer.from(content, 'base64'));
  }
  return { macaroon: macaroonFromJson(m), contents };
}

function list(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new JujuError('not valid', 'macaroons are in lists of lists');
  return value;
}
