import type { Connection } from '../../client/connection.ts';
import { visible } from '../../kit/visible.ts';
import { hasCode } from '../../core/errors.ts';
import { call } from '../../client/calls.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, duration, int, text } from '../flags.ts';
import { chooseColour } from '../format/colour.ts';
import { formatStatus } from '../format/formatted.ts';
import { render } from '../format/render.ts';
import { statusOneline, statusSummary } from '../format/status-short.ts';
import { isEmpty, statusTabular } from '../format/status-tabular.ts';
import { formatTime } from '../format/time.ts';
import { readMoment } from '../moment.ts';
import { storageRows } from '../storage.ts';
import { timeStyle } from '../time-style.ts';
import type { CommandContext } from '../context.ts';

export const status = command({
  name: 'status',
  summary: 'Report the status of the model, its machines, applications and units.',
  usage: '[<selector> [...]]',
  details: `Report the model's status, optionally filtered by names of applications, units or machines, by ports,
addresses or statuses. With a selector, only matching entities and those related to them are shown. Selectors may
contain *.

--format=tabular (default) is for people. --format=yaml and json contain all details. --format=oneline
(short, line) prints one line for each unit; summary prints counts.

In the table an asterisk marks the leader of an application, and subordinate units are indented under
their principals. --watch repeats the status at this interval until you stop it.

--at shows a past status: at a revision (see history), at a time, or a duration ago. Agents are shown with the statuses
that they had reported; connections of agents are not recorded.`,
  examples: [
    'status',
    'status mysql',
    "status 'nova-*'",
    'status --relations',
    'status --watch 2s',
    'status --format=json',
    'status --at 1234',
    "status --at '2026-11-21 10:00'",
    'status --at 10m mysql',
  ],
  seeAlso: ['history', 'machines', 'show-model', 'show-status-log'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'line', 'oneline', 'short', 'summary', 'yaml'),
    ...colourFlags,
    relations: bool('--relations', "Show 'relations' section in tabular output"),
    integrations: bool('--integrations', "Show 'integrations' section in tabular output"),
    storage: bool('--storage', "Show 'storage' section in tabular output"),
    retryCount: int('--retry-count', 'Number of times to retry API failures', 3),
    retryDelay: duration('--retry-delay', 'Time to wait between retry attempts', '100ms'),
    utc: bool('--utc', 'Display timestamps in the UTC timezone'),
    at: text('--at', 'Show a past status: at a revision, at a time, or a duration ago (10m)'),
    watch: duration('--watch', 'Watch the status every period of time'),
  },
  async run(context, flags, args) {
    if (flags.watch !== undefined && flags.watch < 100)
      throw new UsageError('--watch requires a duration of at least 100ms');
    if (flags.watch !== undefined && flags.at) throw new UsageError('--watch and --at cannot be combined');
    const styled = flags.format === 'tabular';
    if (flags.watch === undefined) {
      const { text, note } = await renderStatus(context, flags, args);
      await context.write(text, { styled });
      if (note) context.info(note);
      return;
    }
    const { io } = context;
    for (;;) {
      const shown = await renderStatus(context, flags, args);
      const text = shown.note ? `${shown.text}${shown.note}\n` : shown.text;
      // Escape codes move the cursor home, print the text and then clear what is left of the previous text, which
      // avoids flicker.
      const safeText = styled ? text : visible(text);
      if (io.stdout.isTTY) io.stdout.writeRaw(`\x1b[H${safeText.replaceAll('\n', '\x1b[K\n')}\x1b[J`);
      else io.stdout.writeRaw(`${safeText}\n`);
      await io.clock.sleep(flags.watch, io.signal);
      if (io.stdout.isClosed) return;
    }
  },
});

interface StatusFlags {
  readonly model: string;
  readonly format: string;
  readonly color: boolean;
  readonly noColor: boolean;
  readonly relations: boolean;
  readonly integrations: boolean;
  readonly storage: boolean;
  readonly retryCount: number;
  readonly retryDelay: number | undefined;
  readonly utc: boolean;
  readonly at: string;
}

async function renderStatus(
  context: CommandContext,
  flags: StatusFlags,
  patterns: readonly string[],
): Promise<{ text: string; note: string }> {
  const { full, controller, model, past } = await fetchStatus(context, flags, patterns);
  const style = timeStyle(context.io, flags.utc);
  const formatted = formatStatus(full, controller, style);
  const header = past
    ? `Status at revision ${past.revision}, ${formatTime(past.time, style) || 'the oldest known'}`
    : '';
  // The header is printed only for people: programs need the output without it.
  if (header && flags.format !== 'tabular') context.info(header);
  const body = render(flags.format, formatted, {
    tabular: () =>
      statusTabular(formatted, {
        colour: chooseColour(context.io, flags),
        ...(flags.relations || flags.integrations ? { relations: full.relations } : {}),
        ...(flags.storage && {
          storage: storageRows(full.storage ?? [], [...(full.filesystems ?? []), ...(full.volumes ?? [])]),
        }),
      }),
    oneline: () => statusOneline(formatted),
    short: () => statusOneline(formatted),
    line: () => statusOneline(formatted),
    summary: () => statusSummary(formatted),
  });
  const empty = isEmpty(formatted) && flags.format === 'tabular';
  const reason =
    patterns.length > 0
      ? `Nothing matched specified filter${patterns.length === 1 ? '' : 's'}.`
      : `Model "${model}" is empty.`;
  const text = header && flags.format === 'tabular' ? `${header}\n\n${body}` : body;
  return { text, note: empty ? `\n${reason}` : '' };
}

async function fetchStatus(context: CommandContext, flags: StatusFlags, patterns: readonly string[]) {
  for (let attempt = 0; ; attempt++) {
    try {
      const { connection, controller, model } = await context.openModel(flags.model);
      const answer = fetchFull(connection, flags.at, patterns, context.io.clock.now());
      return { ...(await context.progress('Waiting for the status', answer)), controller, model };
    } catch (error) {
      if (!hasCode(error, 'try again') || attempt >= flags.retryCount) throw error;
      await context.io.clock.sleep(flags.retryDelay ?? 100, context.io.signal);
    }
  }
}

/** Fetches the current status, or that of a past time, which is then printed too. */
async function fetchFull(connection: Connection, when: string, patterns: readonly string[], nowMs: number) {
  if (!when) {
    const params = { patterns: [...patterns], 'include-storage': true };
    return { full: await call(connection, 'Client', 'FullStatus', params), past: undefined };
  }
  const params = { ...readMoment('--at', when, nowMs), patterns: [...patterns] };
  const { status: full, ...past } = await call(connection, 'Lives', 'StatusAt', params);
  return { full, past };
}
