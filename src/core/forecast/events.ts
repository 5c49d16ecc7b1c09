/** What a forecast assumes to happen, as people write it: `10m: zone b fails` (forecasts.md#events). */
import { formatDuration, parseDuration } from '../duration.ts';
import { JujuError, notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';
import { isApplicationName, isMachineId, isUnitName } from '../names.ts';

/** An event at a time, in milliseconds from the forecast's beginning. */
export interface ForecastEvent {
  readonly atMs: number;
  /** The event without its time, as it was written. */
  readonly text: string;
  readonly what: Happening;
}

export type Happening =
  | { readonly kind: 'machine'; readonly machine: string; readonly how: MachineFate }
  | { readonly kind: 'cut-off'; readonly machine: string; readonly forMs: number }
  | { readonly kind: 'zone'; readonly zone: string; readonly fails: boolean }
  | { readonly kind: 'cloud'; readonly how: CloudMood }
  | { readonly kind: 'controller-killed' }
  /** Hooks of that name fail for these units from then on; hook '' = none does any more. */
  | { readonly kind: 'hook'; readonly units: HookUnits; readonly hook: string }
  | { readonly kind: 'command'; readonly command: ForecastCommand }
  /** The client sends the file beside the event. */
  | { readonly kind: 'apply'; readonly file: string };
export type MachineFate = 'lost' | 'stops' | 'reboots' | 'agent-killed';
export type CloudMood = 'quota' | 'silent' | 'credential' | 'recovers';
export type HookUnits = { readonly unit: string } | { readonly application: string };

/** What a user does. */
export type ForecastCommand =
  | { readonly do: 'add-unit'; readonly application: string; readonly units: number }
  | { readonly do: 'remove-unit'; readonly unit: string; readonly force: boolean }
  | { readonly do: 'remove-application'; readonly application: string; readonly force: boolean }
  | { readonly do: 'remove-machine'; readonly machine: string; readonly force: boolean }
  | { readonly do: 'resolved'; readonly unit: string }
  | { readonly do: 'reprovision-machine'; readonly machine: string }
  | { readonly do: 'retry-provisioning'; readonly machine: string };

interface Form {
  /** The form as users are shown it. */
  readonly form: string;
  readonly pattern: RegExp;
  /** Errors: `not valid`. */
  readonly read: (...parts: string[]) => Happening;
}

const force = '( --force)?';

const forms: readonly Form[] = [
  { form: 'machine N is lost', pattern: /^machine (\S+) is lost$/, read: fate('lost') },
  { form: 'machine N stops', pattern: /^machine (\S+) stops$/, read: fate('stops') },
  { form: 'machine N reboots', pattern: /^machine (\S+) reboots$/, read: fate('reboots') },
  {
    form: 'machine N is cut off for TIME',
    pattern: /^machine (\S+) is cut off for (\S+)$/,
    read: (id, time) => ({ kind: 'cut-off', machine: machine(id), forMs: duration(time) }),
  },
  {
    form: 'agent of machine N is killed',
    pattern: /^agent of machine (\S+) is killed$/,
    read: fate('agent-killed'),
  },
  {
    form: 'controller is killed',
    pattern: /^controller is killed$/,
    read: () => ({ kind: 'controller-killed' }),
  },
  {
    form: 'zone Z fails',
    pattern: /^zone (\S+) fails$/,
    read: (zone = '') => ({ kind: 'zone', zone, fails: true }),
  },
  {
    form: 'zone Z recovers',
    pattern: /^zone (\S+) recovers$/,
    read: (zone = '') => ({ kind: 'zone', zone, fails: false }),
  },
  { form: 'cloud says quota', pattern: /^cloud says quota$/, read: () => ({ kind: 'cloud', how: 'quota' }) },
  { form: 'cloud is silent', pattern: /^cloud is silent$/, read: () => ({ kind: 'cloud', how: 'silent' }) },
  {
    form: 'cloud refuses the credential',
    pattern: /^cloud refuses the credential$/,
    read: () => ({ kind: 'cloud', how: 'credential' }),
  },
  { form: 'cloud recovers', pattern: /^cloud recovers$/, read: () => ({ kind: 'cloud', how: 'recovers' }) },
  {
    form: 'unit U fails HOOK',
    pattern: /^unit (\S+) fails (\S+)$/,
    read: (name, hook = '') => ({ kind: 'hook', units: { unit: unit(name) }, hook }),
  },
  {
    form: 'unit U recovers',
    pattern: /^unit (\S+) recovers$/,
    read: (name) => ({ kind: 'hook', units: { unit: unit(name) }, hook: '' }),
  },
  {
    form: 'application A fails HOOK',
    pattern: /^application (\S+) fails (\S+)$/,
    read: (name, hook = '') => ({ kind: 'hook', units: { application: application(name) }, hook }),
  },
  {
    form: 'application A recovers',
    pattern: /^application (\S+) recovers$/,
    read: (name) => ({ kind: 'hook', units: { application: application(name) }, hook: '' }),
  },
  {
    form: 'add-unit A [COUNT]',
    pattern: /^add-unit (\S+)(?: (\S+))?$/,
    read: (name, count = '1') =>
      command({ do: 'add-unit', application: application(name), units: units(count) }),
  },
  {
    form: 'remove-unit U [--force]',
    pattern: new RegExp(`^remove-unit (\\S+)${force}$`),
    read: (name, forced) => command({ do: 'remove-unit', unit: unit(name), force: forced !== undefined }),
  },
  {
    form: 'remove-application A [--force]',
    pattern: new RegExp(`^remove-application (\\S+)${force}$`),
    read: (name, forced) =>
      command({ do: 'remove-application', application: application(name), force: forced !== undefined }),
  },
  {
    form: 'remove-machine N [--force]',
    pattern: new RegExp(`^remove-machine (\\S+)${force}$`),
    read: (id, forced) =>
      command({ do: 'remove-machine', machine: machine(id), force: forced !== undefined }),
  },
  {
    form: 'resolved U',
    pattern: /^resolved (\S+)$/,
    read: (name) => command({ do: 'resolved', unit: unit(name) }),
  },
  {
    form: 'reprovision-machine N',
    pattern: /^reprovision-machine (\S+)$/,
    read: (id) => command({ do: 'reprovision-machine', machine: machine(id) }),
  },
  {
    form: 'retry-provisioning N',
    pattern: /^retry-provisioning (\S+)$/,
    read: (id) => command({ do: 'retry-provisioning', machine: machine(id) }),
  },
  { form: 'apply FILE', pattern: /^apply (.+)$/, read: (file = '') => ({ kind: 'apply', file }) },
];

/** The forms of events, for help and errors. */
export const eventForms: readonly string[] = forms.map(({ form }) => form);

/**
 * Parses events, `[TIME: ]EVENT`, in the order of their times; without a time an event is at once. Errors: `not valid`
 * with the forms there are, or for a time after the horizon; `quota limit exceeded`.
 */
export function parseEvents(texts: readonly string[], horizonMs: number): ForecastEvent[] {
  checkLimit(limits.forecastEvents, texts.length);
  const events = texts.map((text) => {
    checkLimit(limits.forecastEvent, text.length);
    return inEvent(text, () => {
      const event = parseEvent(text.trim().replaceAll(/\s+/g, ' '));
      if (event.atMs > horizonMs)
        throw notValid(`it is after the end of the forecast, which is ${formatDuration(horizonMs)} long`);
      return event;
    });
  });
  return events.sort((a, b) => a.atMs - b.atMs);
}

/** Names the event in errors of what is done for it. */
export function inEvent<T>(text: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(error.code, `event "${text}": ${error.message}`, { cause: error });
  }
}

function parseEvent(whole: string): ForecastEvent {
  const [, time, text = ''] = /^(?:([^\s:]+): ?)?(.*)$/.exec(whole) ?? [];
  for (const { pattern, read } of forms) {
    const match = pattern.exec(text);
    if (match) return { atMs: time === undefined ? 0 : duration(time), text, what: read(...match.slice(1)) };
  }
  const [, first = '', rest = ''] = /^(\d\S*) (.*)$/.exec(whole) ?? [];
  if (forms.some(({ pattern }) => pattern.test(rest)))
    throw notValid(`a colon follows the time: "${first}: ${rest}"`);
  throw notValid(`expected [TIME: ] and one of ${eventForms.map((form) => `"${form}"`).join(', ')}`);
}

function fate(how: MachineFate): Form['read'] {
  return (id) => ({ kind: 'machine', machine: machine(id), how });
}

function command(one: ForecastCommand): Happening {
  return { kind: 'command', command: one };
}

function duration(text = ''): number {
  const ms = parseDuration(text);
  if (!(ms >= 0)) throw notValid(`duration "${text}" not valid: expected one that is not negative`);
  return ms;
}

function machine(id = ''): string {
  if (!isMachineId(id)) throw notValid(`machine "${id}" not valid`);
  return id;
}

function unit(name = ''): string {
  if (!isUnitName(name)) throw notValid(`unit "${name}" not valid`);
  return name;
}

function application(name = ''): string {
  if (!isApplicationName(name)) throw notValid(`application "${name}" not valid`);
  return name;
}

function units(text: string): number {
  if (!/^[1-9][0-9]*$/.test(text))
    throw notValid(`number of units "${text}" not valid: expected 1 to ${limits.forecastUnits.max}`);
  checkLimit(limits.forecastUnits, Number(text));
  return Number(text);
}
