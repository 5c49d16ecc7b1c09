import yauzl from 'yauzl';

export interface ZipContent {
  readonly name: string;
  /** With the file type's bits. */
  readonly mode: number;
  readonly content: string;
}

/** Every entry of an archive, by name. */
export function readZip(path: string): Promise<readonly ZipContent[]> {
  return new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const entries: ZipContent[] = [];
      zip.on('error', reject);
      zip.on('end', () => resolve(entries.sort((a, b) => (a.name < b.name ? -1 : 1))));
      zip.on('entry', (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            const mode = entry.externalFileAttributes >>> 16;
            entries.push({ name: entry.fileName, mode, content: Buffer.concat(chunks).toString() });
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });
}
