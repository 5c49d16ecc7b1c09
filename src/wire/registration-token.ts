/**
 * Token that a new user gives to `register` (login.md#registration-token): URL-safe base64 of a DER sequence of the
 * user, the controller's addresses, the key and the controller's name.
 */
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

export interface RegistrationToken {
  readonly user: string;
  /** Addresses as `host:port`. */
  readonly addresses: readonly string[];
  /** Secret key, 32 bytes. */
  readonly key: Uint8Array;
  /** Name of the controller at the client of the user who added the new one. */
  readonly controllerName: string;
}

const tags = { octets: 0x04, utf8: 0x0c, printable: 0x13, sequence: 0x30 } as const;
const keyBytes = 32;
const printable = /^[A-Za-z0-9 '()+,./:=?-]*$/;

/** Encodes a token. NULs fill it to a multiple of three bytes, so that base64 needs no padding. */
export function encodeRegistrationToken({ user, addresses, key, controllerName }: RegistrationToken): string {
  const der = element(
    tags.sequence,
    Buffer.concat([
      string(user),
      element(tags.sequence, Buffer.concat(addresses.map(string))),
      element(tags.octets, Buffer.from(key)),
      string(controllerName),
      // Settings of a proxy, which only controllers on Kubernetes have.
      string(''),
    ]),
  );
  return Buffer.concat([der, Buffer.alloc((3 - (der.length % 3)) % 3)]).toString('base64url');
}

/** Decodes a token; bytes after the sequence are ignored. Errors: `not valid`. */
export function decodeRegistrationToken(text: string): RegistrationToken {
  if (text.length > limits.registration.max || !/^[A-Za-z0-9_+/=-]+$/.test(text)) throw invalid();
  const whole = new Elements(Buffer.from(text, 'base64'));
  const fields = new Elements(whole.next(tags.sequence));
  const user = fields.string();
  const list = new Elements(fields.next(tags.sequence));
  const addresses: string[] = [];
  while (!list.isEmpty) addresses.push(list.string());
  const key = fields.next(tags.octets);
  // Tokens of older controllers end here.
  const controllerName = fields.isEmpty ? '' : fields.string();
  if (key.length !== keyBytes || user === '') throw invalid();
  return { user, addresses, key, controllerName };
}

function string(text: string): Buffer {
  return element(printable.test(text) ? tags.printable : tags.utf8, Buffer.from(text));
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** Length in DER: one byte below 128, else the number of the length's bytes, and these. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = rest >>> 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

/** Elements of DER, read one after the other. */
class Elements {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#bytes.length;
  }

  string(): string {
    return this.next(tags.printable, tags.utf8).toString();
  }

  /** Content of the next element, which has one of the tags. Errors: `not valid`. */
  next(...expected: readonly number[]): Buffer {
    if (!expected.includes(this.#byte())) throw invalid();
    const first = this.#byte();
    let length = first;
    if (first >= 0x80) {
      if (first === 0x80 || first > 0x84) throw invalid();
      length = 0;
      for (let i = first & 0x7f; i > 0; i--) length = length * 256 + this.#byte();
    }
    const end = this.#at + length;
    if (end > this.#bytes.length) throw invalid();
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return content;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw invalid();
    return byte;
  }
}

function invalid(): JujuError {
  return new JujuError('not valid', 'invalid registration token');
}
