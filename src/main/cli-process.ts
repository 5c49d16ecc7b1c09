/** Signals and standard streams of the CLI's process: nothing that ends outside cuts its clean-up short. */
import type { EventEmitter } from 'node:events';
import type { Output } from '../cli/io.ts';
import { visible } from '../kit/visible.ts';

const interrupted = new Error('interrupted');

/**
 * Signal that the first ^C aborts; a second ends the process at once. Termination is treated like the first ^C, however
 * often it comes: a closed terminal or a shutdown must not leave a partial bootstrap.
 */
export function interruptSignal(
  events: EventEmitter = process,
  exit: (code: number) => void = (code) => process.exit(code),
): AbortSignal {
  const controller = new AbortController();
  let presses = 0;
  events.on('SIGINT', () => {
    if (presses++ > 0) exit(130);
    else controller.abort(interrupted);
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) events.on(signal, () => controller.abort(interrupted));
  return controller.signal;
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'> & EventEmitter;

interface StandardOutput extends Output {
  /** The first reason why something could not be written; not the end of a pipe's reader (`grigri status | head`). */
  readonly failure: Error | undefined;
}

/**
 * A standard stream. A write that fails ends nothing: the command goes on, and its clean-up is done. `open` is called
 * at the first use, because opening takes milliseconds.
 */
export function standardOutput(open: () => Stream): StandardOutput {
  let opened: Stream | undefined;
  let error: NodeJS.ErrnoException | undefined;
  const stream = (): Stream => {
    if (opened) return opened;
    opened = open();
    opened.on('error', (reason: NodeJS.ErrnoException) => (error ??= reason));
    return opened;
  };
  const write = (text: string): void => {
    if (!error) stream().write(text);
  };
  return {
    get isTTY() {
      return stream().isTTY ?? false;
    },
    get isClosed() {
      return error !== undefined;
    },
    get failure() {
      return error?.code === 'EPIPE' ? undefined : error;
    },
    write: (text) => write(visible(text)),
    writeRaw: write,
  };
}
