/** Archives of backups, each made by a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveMade, StartArchiver } from '../../controller/backups/archive.ts';

/** What the process tells. */
export type ArchiverMessage =
  | { readonly written: true }
  | { readonly made: ArchiveMade }
  | { readonly failed: string };

const heapMiB = 256;
/** Small, so that the collector gives memory of pieces free while the processor's caches still have it. */
const youngMiB = 1;
/**
 * glibc keeps the memory of a piece for the next: it would give it back to the system, which then clears as many pages
 * again as there are pieces, a fifth of the processor time of a backup.
 */
const keptMemory = {
  MALLOC_MMAP_THRESHOLD_: `${64 * 1024 * 1024}`,
  MALLOC_TRIM_THRESHOLD_: `${heapMiB * 1024 * 1024}`,
};

/** Starts another process, which ends with this one, too. Errors of the archive: plain Error. */
export const startArchiver: StartArchiver = (signal) => {
  signal.throwIfAborted();
  const child = fork(findProgram(), {
    execArgv: [
      `--max-old-space-size=${heapMiB}`,
      `--max-semi-space-size=${youngMiB}`,
      '--disable-warning=ExperimentalWarning',
    ],
    env: { ...process.env, ...keptMemory },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = failureOf(child);
  // It may fail before anything waits for it.
  ended.catch(() => undefined);
  return {
    make: (request, onWritten) => {
      const answered = answerOf(child, onWritten);
      child.send(request);
      return Promise.race([answered, ended]);
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
};

/** Rejects when the process fails, or ends. */
function failureOf(child: ChildProcess): Promise<never> {
  let words = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(0, 1000)));
  return new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      reject(new Error(`the archiver ended early (${signal ?? code}): ${words.trim()}`)),
    );
  });
}

function answerOf(child: ChildProcess, onWritten: () => void): Promise<ArchiveMade> {
  return new Promise((resolve, reject) =>
    child.on('message', (message: ArchiverMessage) => {
      if ('written' in message) onWritten();
      else if ('made' in message) resolve(message.made);
      else reject(new Error(message.failed));
    }),
  );
}

/** The bundle beside the controller's, or the source. */
function findProgram(): string {
  const bundle = join(import.meta.dirname, 'archiver.mjs');
  return existsSync(bundle) ? bundle : join(import.meta.dirname, '../archiver.ts');
}
