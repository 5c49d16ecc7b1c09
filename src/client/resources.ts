/** Contents of resources over HTTPS (wire.md#resource-upload, wire.md#resource-download). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { JujuError } from '../core/errors.ts';
import { unitTag } from '../wire/tags.ts';
import { firstThatAnswers } from './connect.ts';
import { send, upload, type HttpOptions } from './http.ts';
import { writeBody, writing } from './write-body.ts';

export interface ResourceUpload extends HttpOptions {
  readonly modelUuid: string;
  readonly application: string;
  readonly name: string;
  readonly pendingId?: string;
  /** Path of the file. */
  readonly file: string;
  /** SHA-384 of the file in hex, where it is known. */
  readonly fingerprint?: string;
  /** Name under which the file is sent; default: its own. */
  readonly fileName?: string;
}

/** Path of a resource on the controller: an application's, or a unit's for its agent. */
export function resourcePath(
  modelUuid: string,
  owner: { readonly application: string } | { readonly unit: string },
  name: string,
): string {
  const path = 'unit' in owner ? `units/${unitTag(owner.unit)}` : `applications/${owner.application}`;
  return `/model/${modelUuid}/${path}/resources/${encodeURIComponent(name)}`;
}

/** Uploads a file as a resource's content. Returns the resource as the controller answers it. */
export async function uploadResource(options: ResourceUpload): Promise<Record<string, unknown>> {
  const { modelUuid, application, name, pendingId, file, fileName = basename(file) } = options;
  const query = pendingId === undefined ? '' : `?${new URLSearchParams({ pendingid: pendingId }).toString()}`;
  const { body } = await upload({
    ...options,
    method: 'PUT',
    path: `${resourcePath(modelUuid, { application }, name)}${query}`,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Sha384': options.fingerprint ?? (await fingerprintOf(file)),
      'Content-Disposition': `form-data; filename=${encodedWord(fileName)}`,
    },
  });
  return body;
}

export interface ResourceDownload extends HttpOptions {
  readonly modelUuid: string;
  readonly application: string;
  readonly name: string;
  /** SHA-384 that the content must have, in hex. */
  readonly fingerprint: string;
  readonly size: number;
  /** Path where the content is written, when it is complete. */
  readonly file: string;
}

/** Downloads an application's content. Errors: as downloadRest; `not valid` when the checksum differs. */
export async function downloadResource(options: ResourceDownload): Promise<void> {
  const { modelUuid, application, name, file, fingerprint } = options;
  const partial = `${file}.partial`;
  const hash = createHash('sha384');
  await rm(partial, { force: true });
  try {
    await downloadRest({
      ...options,
      path: resourcePath(modelUuid, { application }, name),
      file: partial,
      from: 0,
      onPiece: (piece) => void hash.update(piece),
    });
    const actual = hash.digest('hex');
    if (actual !== fingerprint)
      throw new JujuError('not valid', `resource "${name}" has SHA-384 ${actual}, expected ${fingerprint}`);
    await writing(file, rename(partial, file));
  } finally {
    await rm(partial, { force: true });
  }
}

/** Error of a download whose content was replaced after its fingerprint was asked for. */
export class ResourceChanged extends Error {}

/** SHA-384 of a file in hex. */
export async function fingerprintOf(file: string): Promise<string> {
  const hash = createHash('sha384');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** A name as a header may contain it: plain where it can be, else as base64 of RFC 2047. */
function encodedWord(name: string): string {
  return /^[\w.+-]+$/.test(name) ? `"${name}"` : `"=?utf-8?b?${Buffer.from(name).toString('base64')}?="`;
}

/**
 * Appends the bytes of `path` from `from` on to the file, and tells each piece. Errors: JujuError of the answer;
 * ResourceChanged when the resource has another content now; `try again` when no address answers; any other error when
 * the connection breaks: the part that came until then is in the file.
 */
export async function downloadRest(
  options: HttpOptions & {
    readonly path: string;
    readonly file: string;
    readonly from: number;
    /** Size of the whole; more is refused. */
    readonly size: number;
    /** SHA-384 that the content must have, in hex. */
    readonly fingerprint: string;
    readonly onPiece: (piece: Buffer) => void;
  },
): Promise<void> {
  const { path, file, from, size, fingerprint, onPiece, signal } = options;
  // Another address goes on where the connection to the one before broke.
  let received = from;
  await firstThatAnswers(options.addresses, signal, async (address) => {
    const begin = received;
    if (begin > from && begin === size) return;
    const response = await send(options, address, {
      method: 'GET',
      path,
      ...(begin > 0 ? { headers: { Range: `bytes=${begin}-` } } : {}),
    });
    if (response.headers['content-sha384'] !== fingerprint) {
      response.body.destroy();
      throw new ResourceChanged(`${path} has another content by now`);
    }
    if (begin > 0 && response.statusCode !== 206) {
      response.body.destroy();
      throw new JujuError('not valid', `the controller does not continue the download of ${path}`);
    }
    await writeBody(response, file, {
      flags: 'a',
      onPiece(piece) {
        received += piece.length;
        if (received > size) throw new JujuError('not valid', `${path} is larger than ${size} bytes`);
        onPiece(piece);
      },
    });
  });
}
