import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Path → text, or text with a mode (`0o120777` makes a symlink to the text). */
export type ZipContent = Readonly<Record<string, string | { readonly text: string; readonly mode: number }>>;

/** Writes a zip archive as charm archives are. */
export async function writeZip(file: string, content: ZipContent): Promise<void> {
  const zip = new ZipFile();
  for (const [path, value] of Object.entries(content)) {
    const { text, mode } = typeof value === 'string' ? { text: value, mode: 0o100644 } : value;
    zip.addBuffer(Buffer.from(text), path, { mode });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}
