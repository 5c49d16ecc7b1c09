/** Output of hooks: line by line for the log, and whole for task results. */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { Capture } from './capture.ts';

/** Maximum length of a line; longer ones are split, so that a hook cannot fill the agent's memory. */
const maxLineBytes = 64 << 10;
const carriageReturn = 0x0d;

export interface OutputPipe {
  /** Descriptor for the process to write to; the parent closes its copy by `closeWriter`. */
  readonly writer: number;
  closeWriter(): void;
  /** Resolves when every writer has closed the pipe. */
  readonly ended: Promise<void>;
  /** Stops reading; output received so far is delivered. */
  close(): void;
  /** Kept output of the hook, when it is captured. */
  readonly capture: Capture;
}

/**
 * Opens real pipes, through named ones at the given paths that are removed at once. Node's own `pipe` is a socket
 * pair, which a process cannot open again by `/dev/stderr`: `echo failed >/dev/stderr` is common in charms and would
 * fail.
 */
export async function openOutputPipes(
  targets: readonly { readonly path: string; readonly onLine: OnLine }[],
  isCaptured: boolean,
): Promise<OutputPipe[]> {
  const paths = targets.map(({ path }) => path);
  const remove = (): void => paths.forEach((path) => rmSync(path, { force: true }));
  remove();
  try {
    await makeFifos(paths);
    return targets.map(({ path, onLine }) => openPipe(path, onLine, isCaptured));
  } finally {
    remove();
  }
}

function openPipe(path: string, onLine: OnLine, isCaptured: boolean): OutputPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number | undefined = openSync(path, constants.O_WRONLY);
  const stream = new Socket({ fd: reader, readable: true, writable: false });
  const lines = lineSplitter(onLine);
  const capture = new Capture();
  let isAtEnd = false;
  stream.on('data', (chunk: Buffer) => {
    lines.push(chunk);
    if (isCaptured) capture.push(chunk);
  });
  stream.on('end', () => {
    isAtEnd = true;
    capture.end();
  });
  // An error ends the stream; the hook's exit code says the rest.
  stream.on('error', () => stream.destroy());
  const ended = new Promise<void>((resolve) => {
    stream.on('close', () => {
      lines.end(isAtEnd);
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
    capture,
  };
}

/** Receiver of lines. `isPiece`: the text is a part of a line that is longer than a line may be. */
type OnLine = (line: string, isPiece: boolean) => void;

/**
 * Splits chunks into lines of UTF-8. Of a line that was overwritten after a carriage return, only the last text is
 * kept, as a terminal would show it: tools report their progress this way. `end(isWhole)`: whether the last line has
 * ended.
 */
export function lineSplitter(onLine: OnLine): { push(chunk: Buffer): void; end(isWhole?: boolean): void } {
  let pending: Buffer = Buffer.alloc(0);
  let isPiece = false;
  return {
    push: (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      let from = 0;
      for (;;) {
        const to = pending.indexOf(0x0a, from);
        if (to < 0) break;
        onLine(shown(pending.subarray(from, to)), isPiece);
        isPiece = false;
        from = to + 1;
      }
      pending = lastWritten(pending.subarray(from));
      if (pending.length > maxLineBytes) {
        isPiece = true;
        onLine(shown(pending), isPiece);
        pending = Buffer.alloc(0);
      }
    },
    end: (isWhole = true) => {
      if (pending.length > 0) onLine(shown(pending), isPiece || !isWhole);
      pending = Buffer.alloc(0);
    },
  };
}

/**
 * Returns the part of a line after overwritten text; carriage returns at the line's end stay, as a line feed may
 * follow.
 */
function lastWritten(line: Buffer): Buffer {
  const end = endOf(line);
  return end === 0 ? line : line.subarray(line.lastIndexOf(carriageReturn, end - 1) + 1);
}

function shown(line: Buffer): string {
  const last = lastWritten(line);
  return last.toString('utf8', 0, endOf(last));
}

/** Returns the length of a line without carriage returns at its end. */
function endOf(line: Buffer): number {
  let end = line.length;
  while (end > 0 && line[end - 1] === carriageReturn) end--;
  return end;
}

async function makeFifos(paths: readonly string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}
