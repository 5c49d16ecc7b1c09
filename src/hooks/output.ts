/** Output of hooks: line by line for the log, and whole for task results. */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';

/** Maximum length of a line; longer ones are split, so that a hook cannot fill the agent's memory. */
const maxLineBytes = 64 << 10;
/** Maximum bytes of each stream that are kept for a task's result. */
const maxCaptureBytes = 4 << 20;

export interface OutputPipe {
  /** Descriptor for the process to write to; the parent closes its copy by `closeWriter`. */
  readonly writer: number;
  closeWriter(): void;
  /** Resolves when every writer has closed the pipe. */
  readonly ended: Promise<void>;
  /** Stops reading; output received so far is delivered. */
  close(): void;
  captured(): Buffer;
}

/**
 * Opens real pipes, through named ones at the given paths that are removed at once. Node's own `pipe` is a socket
 * pair, which a process cannot open again by `/dev/stderr`: `echo failed >/dev/stderr` is common in charms and would
 * fail.
 */
export async function openOutputPipes(
  targets: readonly { readonly path: string; readonly onLine: (line: string) => void }[],
  capture: boolean,
): Promise<OutputPipe[]> {
  const paths = targets.map(({ path }) => path);
  const remove = (): void => paths.forEach((path) => rmSync(path, { force: true }));
  remove();
  try {
    await makeFifos(paths);
    return targets.map(({ path, onLine }) => openPipe(path, onLine, capture));
  } finally {
    remove();
  }
}

function openPipe(path: string, onLine: (line: string) => void, capture: boolean): OutputPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number | undefined = openSync(path, constants.O_WRONLY);
  const stream = new Socket({ fd: reader, readable: true, writable: false });
  const lines = lineSplitter(onLine);
  const chunks: Buffer[] = [];
  let keptBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    lines.push(chunk);
    if (!capture || keptBytes >= maxCaptureBytes) return;
    chunks.push(chunk.subarray(0, maxCaptureBytes - keptBytes));
    keptBytes += chunk.length;
  });
  // An error ends the stream; the hook's exit code says the rest.
  stream.on('error', () => stream.destroy());
  const ended = new Promise<void>((resolve) => {
    stream.on('close', () => {
      lines.end();
      resolve();
    });
  });
  return {
    writer,
    closeWriter: () => {
      if (writer !== undefined) closeSync(writer);
      writer = undefined;
    },
    ended,
    close: () => stream.destroy(),
    captured: () => Buffer.concat(chunks),
  };
}

/** Splits chunks into lines of UTF-8. */
export function lineSplitter(onLine: (line: string) => void): { push(chunk: Buffer): void; end(): void } {
  let pending: Buffer = Buffer.alloc(0);
  return {
    push: (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      let from = 0;
      for (;;) {
        const to = pending.indexOf(0x0a, from);
        if (to < 0) break;
        onLine(pending.toString('utf8', from, to));
        from = to + 1;
      }
      pending = pending.subarray(from);
      if (pending.length > maxLineBytes) {
        onLine(pending.toString());
        pending = Buffer.alloc(0);
      }
    },
    end: () => {
      if (pending.length > 0) onLine(pending.toString());
      pending = Buffer.alloc(0);
    },
  };
}

async function makeFifos(paths: readonly string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}
