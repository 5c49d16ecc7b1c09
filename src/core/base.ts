/** Bases: an operating system and the track of its releases (placing.md#bases). */
import { JujuError } from './errors.ts';

/** A base, e.g. ubuntu@24.04. */
export interface Base {
  readonly name: string;
  /** Track and risk, e.g. `24.04/stable`. */
  readonly channel: string;
}

const risks = ['stable', 'candidate', 'beta', 'edge'];

/** Series → base; the series is the base's older name. */
const series: Readonly<Record<string, string>> = {
  trusty: 'ubuntu@14.04',
  xenial: 'ubuntu@16.04',
  bionic: 'ubuntu@18.04',
  focal: 'ubuntu@20.04',
  jammy: 'ubuntu@22.04',
  kinetic: 'ubuntu@22.10',
  lunar: 'ubuntu@23.04',
  mantic: 'ubuntu@23.10',
  noble: 'ubuntu@24.04',
  oracular: 'ubuntu@24.10',
  plucky: 'ubuntu@25.04',
  questing: 'ubuntu@25.10',
  resolute: 'ubuntu@26.04',
  centos7: 'centos@7',
  centos9: 'centos@9',
  bookworm: 'debian@12',
  trixie: 'debian@13',
};

/** Supported bases: Ubuntu's LTS releases as in Juju, and Debian's because a local machine has its host's base. */
const supported = [
  'ubuntu@20.04',
  'ubuntu@22.04',
  'ubuntu@24.04',
  'ubuntu@26.04',
  'centos@7',
  'centos@9',
  'debian@12',
  'debian@13',
];

/** The base for a charm that runs anywhere. */
export const defaultBase: Base = { name: 'ubuntu', channel: '24.04/stable' };

/** Parses `ubuntu@24.04` or `ubuntu@24.04/stable`. Errors: `not valid`. */
export function parseBase(text: string): Base {
  const parts = text.split('@');
  const [name, channel] = parts;
  if (parts.length !== 2 || !name || !channel)
    throw new JujuError(
      'not valid',
      `expected base string to contain os and channel separated by '@', got "${text}"`,
    );
  return makeBase(name, channel);
}

/** A base from its two parts as in manifests and on the wire; the risk may be absent. Errors: `not valid`. */
export function makeBase(name: string, channel: string): Base {
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new JujuError('not valid', `invalid base operating system "${name}"`);
  const [track, risk = 'stable', ...rest] = channel.split('/');
  if (!track || !/^[A-Za-z0-9.-]+$/.test(track) || rest.length > 0 || !risks.includes(risk))
    throw new JujuError('not valid', `invalid base channel "${channel}"`);
  return { name, channel: `${track}/${risk}` };
}

/** The base as text, `ubuntu@24.04`; a stable risk is omitted. */
export function formatBase(base: Base): string {
  return `${base.name}@${formatChannel(base)}`;
}

/** The channel as text, `24.04`; a stable risk is omitted. */
function formatChannel(base: Base): string {
  return base.channel.replace(/\/stable$/, '');
}

/** Whether two bases are compatible: the same operating system and track, whatever the risk. */
export function sameBase(a: Base, b: Base): boolean {
  return a.name === b.name && trackOf(a) === trackOf(b);
}

/** The track of a channel: `24.04/stable` → `24.04`. */
export function trackOf(base: Base): string {
  return base.channel.split('/', 1)[0]!;
}

/** The base of a series: `jammy` → ubuntu@22.04; undefined for an unknown series. */
export function baseOfSeries(name: string): Base | undefined {
  const text = Object.hasOwn(series, name) ? series[name] : undefined;
  return text === undefined ? undefined : parseBase(text);
}

/** The series of a base: ubuntu@22.04 → `jammy`; '' where the base has none. */
export function seriesOfBase(base: Base): string {
  const text = `${base.name}@${trackOf(base)}`;
  return Object.keys(series).find((name) => series[name] === text) ?? '';
}

export function isSupportedBase(base: Base): boolean {
  return supported.includes(`${base.name}@${trackOf(base)}`);
}

export interface BaseChoice {
  /** The value of --base. */
  readonly requested?: Base;
  /** The model's default-base. */
  readonly modelDefault?: Base;
  /** Bases that the charm declares; empty when it declares none. */
  readonly charmBases: readonly Base[];
  /** Bases that the cloud offers, preferred ones first; absent = unknown. */
  readonly available?: readonly Base[];
  /** The image from which machines are made; its base is known to the user only. */
  readonly imageId?: string;
  /** Allows a supported base that the charm lacks. */
  readonly force: boolean;
}

/**
 * Chooses the base of a new application or machine: the requested one, else the model's default, else a supported one
 * of the charm's (any, if the charm names none). Bases that the cloud offers are preferred, then Juju's default LTS,
 * then the charm's order, or the cloud's for a charm that names none. Errors: `not valid`, naming the bases that would
 * have matched.
 */
export function chooseBase(choice: BaseChoice): Base {
  const { requested, modelDefault, charmBases, available, imageId, force } = choice;
  if (imageId && !requested)
    throw new JujuError(
      'not valid',
      `base must be explicitly provided when image-id constraint is used${charmBases.length > 0 ? `; the charm supports: ${formatBases(charmBases)}` : ''}`,
    );
  const runs = (base: Base): boolean =>
    charmBases.length === 0 || charmBases.some((charmBase) => sameBase(charmBase, base));
  const wanted = requested ?? modelDefault;
  if (wanted) {
    if (!isSupportedBase(wanted))
      throw new JujuError(
        'not valid',
        `base "${formatBase(wanted)}" is not supported, supported bases are: ${supported.join(', ')}`,
      );
    if (!runs(wanted) && !force)
      throw new JujuError(
        'not valid',
        `base "${formatBase(wanted)}" is not supported by the charm, supported bases are: ${formatBases(charmBases)}`,
      );
    return wanted;
  }
  const candidates = (charmBases.length > 0 ? charmBases : (available ?? [])).filter(isSupportedBase);
  const ordered = runs(defaultBase) ? [defaultBase, ...candidates] : candidates;
  const withImage = ordered.find((base) => available?.some((one) => sameBase(one, base)));
  const chosen = withImage ?? ordered[0];
  if (chosen) return chosen;
  throw new JujuError(
    'not valid',
    `none of the charm's bases is supported: ${formatBases(charmBases)}; supported bases are: ${supported.join(', ')}`,
  );
}

/** Bases as text: `ubuntu@22.04, ubuntu@24.04`. */
export function formatBases(bases: readonly Base[]): string {
  return bases.map(formatBase).join(', ');
}
