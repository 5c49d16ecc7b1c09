import { compareNames } from '../names.ts';

/** The part of a HistoryEvent that is shown. */
interface ToldEvent {
  readonly subject: string;
  readonly what: string;
  readonly detail: string;
}

/**
 * The events of one commit as lines. Equal effects on many entities are one line: `units mysql/0 to mysql/99 (100):
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

/** Maximum number of equal events shown one by one. */
const singly = 3;

function line({ subject, what, detail }: ToldEvent): string {
  return `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}`;
}

function kindOf(subject: string): string {
  const space = subject.indexOf(' ');
  return space < 0 ? subject : subject.slice(0, space);
}
