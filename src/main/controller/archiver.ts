/** Archives of backups, each made by a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveMade, ArchiveRequest, Archiver } from '../../controller/backups/archive.ts';

/** What the process tells. */
export type ArchiverMessage =
  | { readonly written: true }
  | { readonly made: ArchiveMade }
  | { readonly failed: string };

const heapMiB = 256;

/** Makes an archive in another process, which ends with this one or with the signal. Errors: plain Error. */
export const makeArchiveApart: Archiver = async (request, { signal, onWritten }) => {
  signal.throwIfAborted();
  const child = fork(findProgram(), {
    execArgv: [`--max-old-space-size=${heapMiB}`, '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    return await follow(child, request, onWritten);
  } finally {
    child.kill('SIGKILL');
  }
};

/** Hands the request to the process, and waits for its answer or its end. */
function follow(child: ChildProcess, request: ArchiveRequest, onWritten: () => void): Promise<ArchiveMade> {
  let words = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(0, 1000)));
  return new Promise((resolve, reject) => {
    child.on('message', (message: ArchiverMessage) => {
      if ('written' in message) onWritten();
      else if ('made' in message) resolve(message.made);
      else reject(new Error(message.failed));
    });
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      reject(new Error(`the archiver ended early (${signal ?? code}): ${words.trim()}`)),
    );
    child.send(request);
  });
}

/** The bundle beside the controller's, or the source. */
function findProgram(): string {
  const bundle = join(import.meta.dirname, 'archiver.mjs');
  return existsSync(bundle) ? bundle : join(import.meta.dirname, '../archiver.ts');
}
