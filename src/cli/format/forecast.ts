/** Output of `what-if` for people: the course of events, and what is stuck at the end. */
import type { ResultOf } from '../../client/calls.ts';
import { formatDuration } from '../../core/duration.ts';
import { same } from '../../core/history/values.ts';
import { plural } from '../../core/explain/walk.ts';
import { visibleLine } from '../../kit/visible.ts';
import { explanationTree } from './explanation-tree.ts';

type Made = ResultOf<'Forecasts', 'Make'>;

/** Lines of one moment that are shown one by one. */
const singly = 10;

export function formatForecast(forecast: Made): string {
  const { timeline, lines, stuck, end } = forecast;
  const course = timeline.length === 0 ? ['Nothing happens.'] : courseOf(timeline);
  const hidden = lines - timeline.length;
  if (hidden > 0) course.push(`… and ${hidden.toLocaleString('en')} more lines`);
  const parts = [
    `${course.join('\n')}\n`,
    `${verdict(forecast)}\n${counted('units', end.units)}, ${counted('machines', end.machines)}\n`,
  ];
  if (forecast.durations) parts[1] += `${ground(forecast.durations)}\n`;
  parts[1] += taken(forecast);
  parts.push(...stuck.map(stuckText));
  const more = forecast['stuck-entities'] - stuck.length;
  if (more > 0) parts.push(`… and ${more.toLocaleString('en')} more that are not as they should be\n`);
  return parts.join('\n');
}

/** Text of what is stuck; neighbours since the same time, for which the same must be done, share both. */
function stuckText({ since, explained }: Made['stuck'][number], n: number, all: Made['stuck']): string {
  const isLike = (other: Made['stuck'][number] | undefined): boolean =>
    other !== undefined &&
    shortTime(other.since) === shortTime(since) &&
    same(other.explained.next, explained.next);
  const heading = isLike(all[n - 1]) ? '' : `Since ${since === 0 ? 'the beginning' : shortTime(since)}:\n`;
  return heading + explanationTree(isLike(all[n + 1]) ? { ...explained, next: [] } : explained);
}

function courseOf(timeline: Made['timeline']): string[] {
  const width = Math.max(...timeline.map(({ at }) => shortTime(at).length));
  const moments = Map.groupBy(timeline, ({ at }) => at);
  return [...moments.values()].flatMap((moment) => {
    const shown = moment
      .slice(0, singly)
      .map(
        ({ at, entity, what }) => `${shortTime(at).padStart(width)}  ${visibleLine(`${entity}: ${what}`)}`,
      );
    const more = moment.length - shown.length;
    return more > 0
      ? [...shown, `${' '.repeat(width)}  … and ${more.toLocaleString('en')} more at once`]
      : shown;
  });
}

function verdict(forecast: Made): string {
  const { 'at-rest': atRest, 'stuck-entities': stuck } = forecast;
  const rest =
    atRest === undefined
      ? unrest(forecast)
      : atRest === 0
        ? 'Everything stays as it is.'
        : `Everything is at rest after ${shortTime(atRest)}.`;
  const ill = stuck === 0 ? 'Nothing is stuck.' : `${stuck.toLocaleString('en')} not as they should be:`;
  return `${rest}${shortfall(forecast)} ${ill}`;
}

/** How far a forecast came that has not played its horizon, and what to do. Older controllers tell the first only. */
function shortfall({ played, horizon, 'used-up': usedUp = 'time', due }: Made): string {
  if (played >= horizon) return '';
  const what = usedUp === 'time' ? 'real time' : 'memory';
  const came = ` The forecast came to ${shortTime(played)} of ${shortTime(horizon)}: its ${what} was used up.`;
  if (!due) return `${came} A shorter --for is forecast whole.`;
  const hooks = `${due.hooks.toLocaleString('en')} hooks of relations`;
  return `${came} Units have ${hooks} to run, until ${shortTime(due.until)} or later: fewer units are forecast whole.`;
}

/** What goes on at the end. Older controllers do not tell what is retried. */
function unrest({
  played,
  changed = 0,
  retried,
  'retried-hooks': hooks = 0,
  'suspended-starts': starts,
}: Made): string {
  const [first] = retried ?? [];
  const next = (at: number | undefined): string => (at === undefined ? '' : `, next after ${shortTime(at)}`);
  const parts: string[] = [];
  if (first) {
    parts.push(`${first.entity} retries its failed hook ${first.hook}${next(first.next)}`);
    if (hooks > 1)
      parts.push(
        `${(hooks - 1).toLocaleString('en')} more failed ${hooks > 2 ? 'hooks are' : 'hook is'} retried`,
      );
  }
  if (starts) parts.push(`starts of machines, which are suspended, are tried again${next(starts.next)}`);
  if (parts.length === 0) return `After ${shortTime(played)} something is still under way.`;
  const since = changed === 0 ? 'from the beginning' : `after ${shortTime(changed)}`;
  return `Nothing else changes ${since}, but ${parts.join(', and ')}.`;
}

/** What else readers must know: which agents count as connected, and what clock times in the texts are of. */
function taken({ began, awaited = 0, timeline, stuck }: Made): string {
  const agents = `${awaited.toLocaleString('en')} ${awaited === 1 ? 'agent that is not back yet counts' : 'agents that are not back yet count'}`;
  const hasClock = /(?<![T\d])\d\d:\d\d:\d\dZ/.test(JSON.stringify([timeline, stuck]));
  return [
    awaited > 0 ? `The controller has just started: ${agents} as connected.\n` : '',
    hasClock ? `Clock times are as if it began at ${began.slice(11, 19)}Z.\n` : '',
  ].join('');
}

/** What the times are taken from. */
function ground(durations: NonNullable<Made['durations']>): string {
  const { hooks, runs, starts, boots, 'container-starts': containers } = durations;
  const parts = [
    [runs, `${plural(runs, 'run')} of ${plural(hooks, 'hook')}`],
    [starts, `${plural(starts, 'start')} and ${plural(boots, 'boot')} of machines`],
    [
      containers,
      `${plural(containers, 'start')} and ${plural(durations['container-boots'], 'boot')} of containers`,
    ],
  ] as const;
  const known = parts.flatMap(([count, text]) => (count > 0 ? [text] : []));
  return known.length === 0
    ? "Times are assumed: the model's history shows none."
    : `Times are from the model's history: ${known.join(', ')}; others are assumed.`;
}

function counted(name: string, { all, well }: Made['end']['units']): string {
  return `${well.toLocaleString('en')} of ${all.toLocaleString('en')} ${name} as they should be`;
}

/** Formats seconds: `12m3s`, without parts of a second above a minute. */
function shortTime(seconds: number): string {
  return formatDuration(seconds < 60 ? Math.round(seconds * 10) * 100 : Math.round(seconds) * 1000);
}
