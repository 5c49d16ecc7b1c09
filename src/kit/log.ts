import type { LogLevel } from '../core/log-levels.ts';
import { visible, visibleLine } from './visible.ts';

export interface LogRecord {
  /** Time of the record, RFC 3339, UTC. */
  readonly time: string;
  readonly level: LogLevel;
  /** Dotted module, e.g. `grigri.provisioner`, `unit.mysql/0.juju-log`. */
  readonly module: string;
  readonly message: string;
}

/** Logs a static message, with data as fields printed after it as `key=value`. */
export interface Log {
  trace(message: string, fields?: Readonly<Record<string, unknown>>): void;
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warning(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A logger with the same sink under another module. */
  module(name: string): Log;
}

export type LogSink = (record: LogRecord) => void;

export function createLog(module: string, sink: LogSink, now: () => number): Log {
  const write = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void =>
    sink({ time: new Date(now()).toISOString(), level, module, message: message + render(fields) });
  return {
    trace: (m, f) => write('TRACE', m, f),
    debug: (m, f) => write('DEBUG', m, f),
    info: (m, f) => write('INFO', m, f),
    warning: (m, f) => write('WARNING', m, f),
    error: (m, f) => write('ERROR', m, f),
    module: (name) => createLog(name, sink, now),
  };
}

export const silentLog: Log = createLog(
  '',
  () => undefined,
  () => 0,
);

/**
 * A record as text: `2026-01-01 10:00:00 INFO grigri.module message`. Control characters in it are escaped, and its
 * further lines are indented, so that none looks like a record of its own.
 */
export function formatRecord({ time, level, module, message }: LogRecord): string {
  const text = visible(message).replaceAll('\n', '\n    ');
  return `${time.slice(0, 19).replace('T', ' ')} ${level} ${visibleLine(module)} ${text}`;
}

function render(fields: Readonly<Record<string, unknown>> | undefined): string {
  if (!fields) return '';
  let text = '';
  for (const [key, value] of Object.entries(fields)) {
    const shown =
      value instanceof Error
        ? (value.stack ?? value.message)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    text += ` ${key}=${/[\s"]/.test(shown ?? '') && !(value instanceof Error) ? JSON.stringify(shown) : shown}`;
  }
  return text;
}
