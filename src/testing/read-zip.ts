import { openArchive } from '../kit/archive.ts';

interface ZipContent {
  /** Name in the archive; names of folders end in `/`. */
  readonly name: string;
  /** Mode with the file type's bits. */
  readonly mode: number;
  readonly content: string;
}

/** Returns every entry of an archive, by name. */
export async function readZip(path: string): Promise<readonly ZipContent[]> {
  const archive = await openArchive(path);
  try {
    const contents: ZipContent[] = [];
    for (const entry of archive.entries.values()) {
      const content = (await archive.read(entry, entry.size)).toString();
      contents.push({
        name: entry.raw.fileName,
        mode: entry.raw.externalFileAttributes >>> 16,
        content,
      });
    }
    return contents.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    archive.close();
  }
}
