import { JujuError } from '../../core/errors.ts';
import { logLevels, type LogLevel } from '../../core/log-levels.ts';
import type { LogLine } from '../../store/logs.ts';

export interface LogQuery {
  readonly matches: (line: LogLine) => boolean;
  /** True to begin with the oldest old lines; else the newest are sent. */
  readonly fromStart: boolean;
  /** Maximum number of old lines. */
  readonly lines: number;
  /** True to continue with new lines. */
  readonly tail: boolean;
}

/** Parses the query. Errors: `bad request` for an invalid value. */
export function parseLogQuery(query: URLSearchParams): LogQuery {
  const level = parseLevel(query.get('level') ?? '');
  const startTime = parseTime(query.get('startTime') ?? '');
  const entity = lineFilter(query, 'Entity', (pattern, line: LogLine) => matchesEntity(pattern, line.tag));
  const module = lineFilter(query, 'Module', (pattern, line: LogLine) => isWithin(line.mod, pattern));
  // No line has labels: a filter for one matches nothing.
  const wantsLabel = query.getAll('includeLabel').length > 0;
  const fromStart = parseFlag(query, 'replay');
  const backlog = parseCount(query, 'backlog');
  // Juju 3.6 lets the later of the two parameters replace the former (wire.md#debug-log).
  const lines = parseCount(query, 'maxLines') || backlog;
  return {
    matches: (line) =>
      !wantsLabel &&
      (level === undefined || rank(line.sev) >= rank(level)) &&
      (startTime === undefined || Date.parse(line.ts) >= startTime) &&
      entity(line) &&
      module(line),
    fromStart,
    lines: fromStart ? lines || Infinity : lines,
    tail: !parseFlag(query, 'noTail'),
  };
}

/** Filter of lines: those included (all, when nothing is named), without those excluded. */
function lineFilter(
  query: URLSearchParams,
  kind: 'Entity' | 'Module',
  matches: (pattern: string, line: LogLine) => boolean,
): (line: LogLine) => boolean {
  const include = query.getAll(`include${kind}`);
  const exclude = query.getAll(`exclude${kind}`);
  return (line) =>
    (include.length === 0 || include.some((pattern) => matches(pattern, line))) &&
    !exclude.some((pattern) => matches(pattern, line));
}

/** Matches tags with patterns such as `unit-mysql-*`; a `*` anywhere stands for any text. */
function matchesEntity(pattern: string, tag: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return tag === pattern;
  let position = parts[0]!.length;
  if (!tag.startsWith(parts[0]!)) return false;
  const lastPart = parts.at(-1)!;
  for (const part of parts.slice(1, -1)) {
    const found = tag.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return tag.length - lastPart.length >= position && tag.endsWith(lastPart);
}

/** True when the module is the pattern or below it: `juju.worker` holds `juju.worker.uniter`. */
function isWithin(module: string, pattern: string): boolean {
  return module === pattern || module.startsWith(`${pattern}.`);
}

function parseLevel(text: string): LogLevel | undefined {
  if (text === '') return undefined;
  const level = logLevels.find((known) => known === text.toUpperCase());
  if (!level)
    throw new JujuError(
      'bad request',
      `level value "${text}" is not one of ${logLevels.slice(0, 5).join(', ')}`,
    );
  return level;
}

function rank(level: string): number {
  return logLevels.indexOf(level as LogLevel);
}

function parseTime(text: string): number | undefined {
  if (text === '') return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new JujuError('bad request', `start time "${text}" is not a valid time in RFC3339 format`);
  return time;
}

function parseCount(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (!/^\d{1,9}$/.test(text))
    throw new JujuError('bad request', `${name} value "${text}" is not a valid unsigned number`);
  return Number(text);
}

function parseFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? '';
  if (['', 'false', '0', 'f', 'F', 'FALSE', 'False'].includes(text)) return false;
  if (['true', '1', 't', 'T', 'TRUE', 'True'].includes(text)) return true;
  throw new JujuError('bad request', `${name} value "${text}" is not a valid boolean`);
}
