/**
 * Reads a stream's text to its end: a pipe, or a device that never ends. `name`: for errors. Errors: a plain Error when
 * it is longer than `maxBytes`.
 */
export async function readBounded(
  stream: AsyncIterable<unknown>,
  name: string,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new Error(`${name}: larger than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
