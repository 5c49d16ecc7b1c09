/** Conditions of macaroons: a word and its argument, as macaroon-bakery writes them. */
import type { Macaroon } from './macaroon.ts';

/** Result of a check: what was declared, by name; or why the conditions do not hold. */
type Checked = { readonly declared: ReadonlyMap<string, string> } | { readonly refusal: string };

/** The condition that holds until the time, in milliseconds since 1970. */
export function timeBefore(time: number): string {
  return `time-before ${new Date(time).toISOString()}`;
}

/**
 * The condition that declares something about the holder of the macaroon. It holds if nothing else is declared under
 * that name.
 */
export function declared(name: string, value: string): string {
  return `declared ${name} ${value}`;
}

/** The condition of a third party that also has to declare the names in its discharge. */
export function needDeclared(names: readonly string[], condition: string): string {
  return `need-declared ${names.join(',')} ${condition}`;
}

/** Splits `need-declared name,name condition`; a condition without that needs no names. */
export function parseNeedDeclared(text: string): { names: readonly string[]; condition: string } {
  const { word, argument } = splitCondition(text);
  if (word !== 'need-declared') return { names: [], condition: text };
  const { word: names, argument: condition } = splitCondition(argument);
  return { names: names.split(','), condition };
}

export function splitCondition(text: string): { word: string; argument: string } {
  const space = text.indexOf(' ');
  return space < 0
    ? { word: text, argument: '' }
    : { word: text.slice(0, space), argument: text.slice(space + 1) };
}

/**
 * Checks conditions: `time-before` by the time, `declared` for two that contradict each other, others by `holds`.
 * An unknown condition does not hold. `now` in milliseconds since 1970.
 */
export function checkConditions(
  conditions: readonly string[],
  { now, holds = () => false }: { readonly now: number; readonly holds?: (condition: string) => boolean },
): Checked {
  const values = new Map<string, string>();
  for (const condition of conditions) {
    const { word, argument } = splitCondition(condition);
    if (word === 'time-before') {
      const time = parseTime(argument);
      if (time === undefined) return { refusal: `"${condition}" has no time` };
      if (now >= time) return { refusal: 'macaroon has expired' };
    } else if (word === 'declared') {
      const { word: name, argument: value } = splitCondition(argument);
      if (values.has(name) && values.get(name) !== value)
        return { refusal: `"${name}" is declared in two ways` };
      values.set(name, value);
    } else if (!holds(condition)) return { refusal: `condition "${word}" does not hold` };
  }
  return { declared: values };
}

/** The earliest time, in milliseconds since 1970, at which one of the macaroons expires; undefined: none does. */
export function expiryOf(slice: readonly Macaroon[]): number | undefined {
  let earliest: number | undefined;
  for (const { caveats } of slice)
    for (const { id, verificationId } of caveats) {
      if (verificationId) continue;
      const { word, argument } = splitCondition(id.toString());
      const time = word === 'time-before' ? parseTime(argument) : undefined;
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
    }
  return earliest;
}

/** Parses a time of RFC 3339, of which only the milliseconds count. */
function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
