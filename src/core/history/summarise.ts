import { compareNames } from '../names.ts';

/** What of a HistoryEvent is told. */
export interface ToldEvent {
  readonly subject: string;
  readonly what: string;
  readonly detail: string;
}

/**
 * The events of one commit as lines. What was done to many at once is one line: `units mysql/0 to mysql/99 (100):
 * created`.
 */
export function summarise(events: readonly ToldEvent[]): string[] {
  const groups = new Map<string, ToldEvent[]>();
  for (const event of events) {
    const key = `${kindOf(event.subject)}\0${event.what}`;
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return [...groups.values()].flatMap((group) => {
    const subjects = new Set(group.map((event) => event.subject));
    if (subjects.size <= singly) return group.map(line);
    const ids = [...subjects].map((subject) => subject.slice(kindOf(subject).length + 1)).sort(compareNames);
    const first = group[0]!;
    return [`${kindOf(first.subject)}s ${ids[0]} to ${ids.at(-1)} (${ids.length}): ${first.what}`];
  });
}

/** As many are told one by one. */
const singly = 3;

function line({ subject, what, detail }: ToldEvent): string {
  return `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}`;
}

function kindOf(subject: string): string {
  const space = subject.indexOf(' ');
  return space < 0 ? subject : subject.slice(0, space);
}
