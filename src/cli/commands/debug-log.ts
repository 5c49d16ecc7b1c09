import { styleText } from 'node:util';
import { isMachineId, isUnitName } from '../../core/names.ts';
import { logLevels } from '../../core/log-levels.ts';
import { visible, visibleLine } from '../../kit/visible.ts';
import { machineTag, tagKinds, unitTag } from '../../wire/tags.ts';
import { openLogStream, type LogMessage } from '../../client/log-stream.ts';
import { loginOptions } from '../../operate/login-options.ts';
import { colourFlags, command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import type { CommandContext } from '../context.ts';
import { bool, duration, int, list, text } from '../flags.ts';
import { chooseColour } from '../format/colour.ts';
import { defined } from '../../core/defined.ts';

/** Maximum backlog that the server accepts, in lines. */
const linesMax = 10_000;

export const debugLog = command({
  name: 'debug-log',
  summary: 'Displays log messages for a model.',
  details: `Shows the last lines (--lines, 10 by default), or all lines with --replay. On a terminal, or with --tail,
new lines are appended until --limit lines have been shown.

--include and --exclude accept units, machines, applications and names with *; --include-module and
--exclude-module accept the leading parts of logger names (juju.worker).`,
  examples: [
    'debug-log',
    'debug-log --replay',
    'debug-log --include mysql/0',
    'debug-log --level ERROR --replay --no-tail',
    'debug-log --include-module juju.worker.uniter',
  ],
  seeAlso: ['status', 'ssh'],
  flags: {
    ...modelFlags,
    ...colourFlags,
    date: bool('--date', 'Show dates as well as times'),
    exclude: list('-x, --exclude', 'Do not show log messages for these entities', { completes: 'unit' }),
    excludeModule: list('--exclude-module', 'Do not show log messages for these logging modules'),
    excludeLabel: list(
      '--exclude-label, --exclude-labels',
      'Do not show log messages for these logging label key values',
    ),
    include: list('-i, --include', 'Only show log messages for these entities', { completes: 'unit' }),
    includeModule: list('--include-module', 'Only show log messages for these logging modules'),
    includeLabel: list(
      '--include-label, --include-labels',
      'Only show log messages for these logging label key values',
    ),
    level: text('-l, --level', 'Log level to show, one of [TRACE, DEBUG, INFO, WARNING, ERROR]', {
      completes: [...logLevels],
    }),
    limit: int('--limit', 'Exit once this many of the most recent (possibly filtered) lines are shown', 0),
    lines: int(
      '-n, --lines',
      'Show this many of the most recent (possibly filtered) lines, and continue to append',
      10,
    ),
    location: bool('--location', 'Show filename and line numbers'),
    ms: bool('--ms', 'Show times to millisecond precision'),
    noTail: bool('--no-tail', 'Stop after returning existing log messages'),
    replay: bool('--replay', 'Show the entire (possibly filtered) log and continue to append'),
    retry: bool('--retry', 'Retry connection on failure'),
    retryDelay: duration('--retry-delay', 'Retry delay between connection failure retries', '1s'),
    tail: bool('--tail', 'Show existing log messages and continue to append'),
    utc: bool('--utc', 'Show times in UTC'),
  },
  async run(context, flags, args, givenFlags) {
    noMoreArgs(args);
    const level = flags.level.toUpperCase();
    if (level && !(logLevels as readonly string[]).includes(level)) {
      throw new UsageError(
        `level value "${flags.level}" is not one of "TRACE", "DEBUG", "INFO", "WARNING", "ERROR"`,
      );
    }
    if (flags.tail && flags.noTail) throw new UsageError('setting --tail and --no-tail not valid');
    if (flags.limit > linesMax || flags.lines > linesMax)
      throw new UsageError(`--limit and --lines must be at most ${linesMax}`);
    if (flags.replay && givenFlags.has('lines'))
      throw new UsageError('cannot specify both --replay and --lines');
    const noTail = flags.noTail || flags.limit > 0 || (!flags.tail && !context.io.stdout.isTTY);
    const session = await context.openModel(flags.model);
    await session.connection.close();
    const colour = chooseColour(context.io, flags);
    const open = (since: string): AsyncIterable<LogMessage> =>
      openLogStream({
        ...loginOptions(session, context.io.signal),
        modelUuid: session.modelUuid,
        query: {
          includeEntity: flags.include.map(entityOf),
          excludeEntity: flags.exclude.map(entityOf),
          includeModule: flags.includeModule,
          excludeModule: flags.excludeModule,
          includeLabel: flags.includeLabel,
          excludeLabel: flags.excludeLabel,
          ...defined({
            level: level || undefined,
            replay: flags.replay || since ? 'true' : undefined,
            noTail: noTail ? 'true' : undefined,
            startTime: since || undefined,
          }),
          ...(flags.limit > 0
            ? { maxLines: String(flags.limit) }
            : flags.replay || since
              ? {}
              : { backlog: String(flags.lines) }),
        },
      });
    const messages = flags.retry
      ? retried(context, open, { delayMs: flags.retryDelay ?? 1000, noTail })
      : open('');
    for await (const message of messages) {
      await context.write(formatLine(message, { ...flags, colour }), { styled: true });
      if (context.io.stdout.isClosed) return;
    }
  },
});

/**
 * Yields messages of a stream that is opened again when it is lost, from the time of the last message on; each message
 * once. A stream that is to end by itself is not opened again after its end.
 */
export async function* retried(
  context: Pick<CommandContext, 'io' | 'info'>,
  open: (since: string) => AsyncIterable<LogMessage>,
  { delayMs, noTail }: { readonly delayMs: number; readonly noTail: boolean },
): AsyncGenerator<LogMessage, void, undefined> {
  const { io } = context;
  let since = '';
  /** Messages shown that have the time of the last one. */
  let shown = new Set<string>();
  for (;;) {
    let why = 'the connection was lost';
    try {
      for await (const message of open(since)) {
        const text = JSON.stringify(message);
        if (message.ts === since && shown.has(text)) continue;
        if (message.ts !== since) shown = new Set();
        since = message.ts;
        shown.add(text);
        yield message;
      }
      if (noTail || io.signal.aborted) return;
    } catch (error) {
      if (io.signal.aborted) throw error;
      why = (error as Error).message;
    }
    context.info(`${why}; reconnecting`);
    await io.clock.sleep(delayMs, io.signal);
  }
}

/**
 * Converts names to entities: `mysql/0` → its tag, `mysql` → the tags of its units. Tags and patterns stay as they are.
 */
function entityOf(name: string): string {
  if (isUnitName(name)) return unitTag(name);
  if (isMachineId(name)) return machineTag(name);
  const kind = name.split('-')[0]!;
  if (name.includes('*') || (name.includes('-') && (tagKinds as readonly string[]).includes(kind)))
    return name;
  return `unit-${name}-*`;
}

interface LineStyle {
  readonly date: boolean;
  readonly ms: boolean;
  readonly utc: boolean;
  readonly location: boolean;
  readonly colour: 'on' | 'off';
}

/** Formats a message: `unit-mysql-0: 10:00:00 INFO juju.worker.uniter message` */
export function formatLine(message: LogMessage, style: LineStyle): string {
  const time = timeOf(message.ts, style);
  const location = style.location && message.loc ? `${visibleLine(message.loc)} ` : '';
  const sev = visibleLine(message.sev);
  const level =
    style.colour === 'on' ? styleText(levelColour(message.sev), sev, { validateStream: false }) : sev;
  // Further lines of a message are indented, so that none can pass for a record of its own.
  const text = visible(message.msg).replaceAll('\n', '\n    ');
  return `${visibleLine(message.tag)}: ${time} ${level} ${visibleLine(message.mod)} ${location}${text}\n`;
}

/** Formats a time. Text that is not a time, which an agent may have sent, stays as it is. */
function timeOf(ts: string, style: LineStyle): string {
  const date = new Date(ts);
  if (Number.isNaN(date.getTime())) return visibleLine(ts);
  const local = style.utc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  const iso = local.toISOString();
  return `${style.date ? `${iso.slice(0, 10)} ` : ''}${iso.slice(11, style.ms ? 23 : 19)}`;
}

function levelColour(level: string): Parameters<typeof styleText>[0] {
  if (level === 'ERROR' || level === 'CRITICAL') return 'red';
  return level === 'WARNING' ? 'yellow' : 'blue';
}
