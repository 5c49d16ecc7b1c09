/** Headers of files that are sent in either direction. */
import { JujuError } from '../../core/errors.ts';

/**
 * The file's name in a Content-Disposition header, plain, quoted, or as base64 of RFC 2047; '' = no name. The media
 * type does not matter. Errors: `bad request` for a header that is too long. Folders in the name are left out.
 */
export function parseDisposition(header: string): string {
  if (header.length > longestHeader) throw new JujuError('bad request', 'Content-Disposition is too long');
  const match = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  if (!match) return '';
  const name = decodeWord(match[1]?.replace(/\\(.)/g, '$1') ?? match[2] ?? '');
  return name.slice(name.lastIndexOf('/') + 1);
}

const longestHeader = 4096;

function decodeWord(text: string): string {
  const word = /^=\?utf-8\?b\?([A-Za-z0-9+/=]*)\?=$/i.exec(text);
  return word ? Buffer.from(word[1]!, 'base64').toString() : text;
}

/** The first byte that `Range: bytes=N-` asks for; 0 for any other form, which is answered with the whole. */
export function parseContentRange(header: string | undefined, size: number): number {
  const match = /^bytes=(\d{1,15})-$/.exec(header ?? '');
  const start = match ? Number(match[1]) : 0;
  return start < size ? start : 0;
}
