/** Output of `what-if` for people: the course of events, and what is stuck at the end. */
import type { ResultOf } from '../../client/calls.ts';
import { formatDuration } from '../../core/duration.ts';
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
  for (const { since, explained } of stuck)
    parts.push(`Since ${since === 0 ? 'the beginning' : shortTime(since)}:\n${explanationTree(explained)}`);
  const more = forecast['stuck-entities'] - stuck.length;
  if (more > 0) parts.push(`… and ${more.toLocaleString('en')} more that are not as they should be\n`);
  return parts.join('\n');
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

function verdict({ played, horizon, 'at-rest': atRest, 'stuck-entities': stuck }: Made): string {
  const cutText = played < horizon ? ` The real time was over after ${shortTime(played)}.` : '';
  const rest =
    atRest === undefined
      ? `After ${shortTime(played)} something is still under way.`
      : atRest === 0
        ? 'Everything stays as it is.'
        : `Everything is at rest after ${shortTime(atRest)}.`;
  const ill = stuck === 0 ? 'Nothing is stuck.' : `${stuck.toLocaleString('en')} not as they should be:`;
  return `${rest}${cutText} ${ill}`;
}

function counted(name: string, { all, well }: Made['end']['units']): string {
  return `${well.toLocaleString('en')} of ${all.toLocaleString('en')} ${name} as they should be`;
}

/** Formats seconds: `12m3s`, without parts of a second above a minute. */
function shortTime(seconds: number): string {
  return formatDuration(seconds < 60 ? Math.round(seconds * 10) * 100 : Math.round(seconds) * 1000);
}
