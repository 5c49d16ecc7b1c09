/** Constraints: their text, how two sets are merged, and what a cloud makes of them (placing.md#constraint-text). */
import type { Hardware } from './machine/hardware.ts';
import { notValid, type JujuError } from './errors.ts';
import { isSpaceName } from './names.ts';

/**
 * Constraints under their wire names. A zero or empty value that is present means "explicitly none"
 * (placing.md#explicit-nothing).
 */
export interface Constraints {
  readonly arch?: string;
  readonly container?: string;
  readonly cores?: number;
  readonly 'cpu-power'?: number;
  /** MiB. */
  readonly mem?: number;
  /** MiB. */
  readonly 'root-disk'?: number;
  readonly 'root-disk-source'?: string;
  readonly tags?: readonly string[];
  readonly 'instance-role'?: string;
  readonly 'instance-type'?: string;
  readonly spaces?: readonly string[];
  readonly 'virt-type'?: string;
  readonly zones?: readonly string[];
  readonly 'allocate-public-ip'?: boolean;
  readonly 'image-id'?: string;
}
type ConstraintKey = keyof Constraints;
type ConstraintValue = string | number | boolean | readonly string[];

type Form = 'arch' | 'container' | 'count' | 'size' | 'text' | 'list' | 'spaces' | 'flag';

/** Every key, in the order in which they are printed. */
const forms: Readonly<Record<ConstraintKey, Form>> = {
  arch: 'arch',
  container: 'container',
  cores: 'count',
  'cpu-power': 'count',
  'instance-role': 'text',
  'instance-type': 'text',
  mem: 'size',
  'root-disk': 'size',
  'root-disk-source': 'text',
  tags: 'list',
  spaces: 'spaces',
  'virt-type': 'text',
  zones: 'list',
  'allocate-public-ip': 'flag',
  'image-id': 'text',
};
const constraintKeys = Object.keys(forms) as readonly ConstraintKey[];

/** The architectures that Juju knows. */
export const architectures = ['amd64', 'arm64', 'ppc64el', 's390x', 'riscv64'] as const;

const containerTypes = ['none', 'lxd', 'kvm'];
const suffixes: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3 };

/** Parses `mem=4G cores=2 tags=a,^b`; a backslash escapes a space in a value. Errors: `not valid`, in Juju's words. */
export function parseConstraints(text: string): Constraints {
  const result: Partial<Record<ConstraintKey, ConstraintValue>> = {};
  for (const word of words(text)) {
    const equals = word.indexOf('=');
    if (equals < 1) throw notValid(`malformed constraint "${word}"`);
    const name = word.slice(0, equals);
    const key = name === 'cpu-cores' ? 'cores' : name;
    if (!isConstraintKey(key)) throw notValid(`unknown constraint "${name}"`);
    if (result[key] !== undefined) throw notValid(`bad "${name}" constraint: already set`);
    result[key] = parseValue(key, name, word.slice(equals + 1));
  }
  return result as Constraints;
}

/** The text that parses to the same constraints: canonical order, sizes in M, `mem=` for an explicit nothing. */
export function formatConstraints(constraints: Constraints): string {
  let text = '';
  for (const key of constraintKeys) {
    const value = constraints[key];
    if (value !== undefined) text += `${text === '' ? '' : ' '}${key}=${formatValue(key, value)}`;
  }
  return text;
}

/** Constraints from a client's JSON. Null and absent keys are left out. Errors: `not valid`. */
export function constraintsFromWire(raw: Readonly<Record<string, unknown>>): Constraints {
  const result: Partial<Record<ConstraintKey, ConstraintValue>> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (value === undefined || value === null) continue;
    if (!isConstraintKey(key)) throw notValid(`unknown constraint "${key}"`);
    if (typeof value === 'boolean' && forms[key] === 'flag') result[key] = value;
    else if (Array.isArray(value)) result[key] = parseValue(key, key, value.join(','));
    else if (typeof value === 'string' || typeof value === 'number')
      result[key] = parseValue(key, key, String(value));
    else throw notValid(`bad "${key}" constraint: unexpected value`);
  }
  return result as Constraints;
}

/** Keys that must not be combined with others, as requesting both would be ambiguous. */
export interface ConstraintConflict {
  readonly left: readonly ConstraintKey[];
  readonly right: readonly ConstraintKey[];
}

/**
 * Merges `own` over `fallback`. Each key of `own` counts, an explicit nothing too; keys of the fallback that conflict
 * with `own` are dropped, so an application's `instance-type=` wins over the model's `mem=`.
 */
export function mergeConstraints(
  fallback: Constraints,
  own: Constraints,
  conflicts: readonly ConstraintConflict[] = [],
): Constraints {
  const result: Partial<Record<ConstraintKey, ConstraintValue>> = {};
  for (const key of constraintKeys) {
    const value =
      own[key] ??
      (conflictsOf(key, conflicts).some((other) => isAsked(own[other])) ? undefined : fallback[key]);
    if (value !== undefined) result[key] = value;
  }
  return result as Constraints;
}

/** A cloud's rules for constraints; a provider's Environ.constraints has this shape. */
export interface ConstraintRules {
  /** Keys that are ignored with a warning. */
  readonly unsupported: readonly ConstraintKey[];
  readonly conflicts: readonly ConstraintConflict[];
  /** The allowed values of keys that have a fixed set. */
  readonly vocabulary: Readonly<Partial<Record<ConstraintKey, readonly string[]>>>;
}

/**
 * Validates constraints against a cloud's rules. Errors: `not valid`, for ambiguous constraints and for values outside
 * the vocabulary.
 */
export function validateConstraints(
  constraints: Constraints,
  rules: ConstraintRules,
): { warnings: string[] } {
  const setKeys = constraintKeys.filter((key) => isAsked(constraints[key]));
  for (const key of setKeys) {
    const conflictingKey = conflictsOf(key, rules.conflicts).find((conflicting) =>
      setKeys.includes(conflicting),
    );
    if (conflictingKey) throw notValid(`ambiguous constraints: "${key}" overlaps with "${conflictingKey}"`);
  }
  for (const key of setKeys) checkVocabulary(key, constraints[key]!, rules.vocabulary[key]);
  const ignored = setKeys.filter((key) => rules.unsupported.includes(key));
  return { warnings: ignored.length > 0 ? [`unsupported constraints: ${ignored.join(',')}`] : [] };
}

/** Whether an existing machine's hardware satisfies a unit's constraints (placing.md#good-enough). */
export function hardwareSatisfies(constraints: Constraints, hardware: Hardware): boolean {
  const equal = (wanted: string | undefined, has: string | undefined): boolean => !wanted || wanted === has;
  const enough = (wanted: number | undefined, has: number | undefined): boolean =>
    !wanted || (has ?? 0) >= wanted;
  const tags = constraints.tags ?? [];
  const zones = constraints.zones ?? [];
  return (
    equal(constraints.arch, hardware.arch) &&
    equal(constraints['virt-type'], hardware.virtType) &&
    equal(constraints['root-disk-source'], hardware.rootDiskSource) &&
    enough(constraints.cores, hardware.cores) &&
    enough(constraints['cpu-power'], hardware.cpuPower) &&
    enough(constraints.mem, hardware.mem) &&
    enough(constraints['root-disk'], hardware.rootDisk) &&
    tags.every((tag) =>
      tag.startsWith('^') ? !hardware.tags?.includes(tag.slice(1)) : (hardware.tags?.includes(tag) ?? false),
    ) &&
    (zones.length === 0 ||
      (hardware.availabilityZone !== undefined && zones.includes(hardware.availabilityZone)))
  );
}

/** Whether the value constrains anything; false for an absent value and for an explicit nothing. */
export function isAsked(value: ConstraintValue | undefined): boolean {
  if (value === undefined || value === '' || value === 0) return false;
  return !(Array.isArray(value) && value.length === 0);
}

function words(text: string): string[] {
  return [...text.matchAll(/(?:\\.|[^\s\\])+/gs)].map(([word]) => word.replace(/\\(.)/gs, '$1'));
}

function isConstraintKey(text: string): text is ConstraintKey {
  return Object.hasOwn(forms, text);
}

function parseValue(key: ConstraintKey, name: string, text: string): ConstraintValue {
  const invalid = (why: string): JujuError => notValid(`bad "${name}" constraint: ${why}`);
  switch (forms[key]) {
    case 'arch':
      if (text !== '' && !architectures.some((arch) => arch === text))
        throw invalid(`"${text}" not recognized`);
      return text;
    case 'container':
      if (text !== '' && !containerTypes.includes(text)) throw invalid(`invalid container type "${text}"`);
      return text;
    case 'count':
      if (!/^\d*$/.test(text) || !Number.isSafeInteger(Number(text)))
        throw invalid('must be a non-negative integer');
      return Number(text);
    case 'size': {
      const size = parseSize(text);
      if (size === undefined) throw invalid('must be a non-negative float with optional M/G/T/P suffix');
      return size;
    }
    case 'text':
      return text;
    case 'list':
      return list(text);
    case 'spaces': {
      const wrong = list(text).find((space) => !isSpaceName(space.replace(/^\^/, '')));
      if (wrong !== undefined) throw invalid(`"${wrong}" is not a valid space name`);
      return list(text);
    }
    case 'flag':
      if (text !== '' && !/^(1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/.test(text))
        throw invalid("must be 'true' or 'false'");
      return /^[1tT]/.test(text);
  }
}

/** A size in MiB, rounded up; '' is 0. Undefined when the text is no size. */
function parseSize(text: string): number | undefined {
  if (text === '') return 0;
  const match = /^(\d+(?:\.\d*)?|\.\d+)([MGTP]?)$/.exec(text);
  if (!match) return undefined;
  const size = Math.ceil(Number(match[1]) * suffixes[match[2] || 'M']!);
  return Number.isSafeInteger(size) ? size : undefined;
}

function list(text: string): string[] {
  return text.split(',').filter((item) => item !== '');
}

function formatValue(key: ConstraintKey, value: ConstraintValue): string {
  if (!isAsked(value)) return '';
  if (forms[key] === 'size') return `${String(value)}M`;
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text.replace(/[\\\s]/g, '\\$&');
}

function conflictsOf(key: ConstraintKey, conflicts: readonly ConstraintConflict[]): ConstraintKey[] {
  return conflicts
    .flatMap(({ left, right }) => [
      ...(left.includes(key) ? right : []),
      ...(right.includes(key) ? left : []),
    ])
    .filter((other) => other !== key);
}

function checkVocabulary(
  key: ConstraintKey,
  value: ConstraintValue,
  vocabulary: readonly string[] | undefined,
): void {
  if (!vocabulary) return;
  const values = typeof value === 'object' ? value.map((item) => item.replace(/^\^/, '')) : [String(value)];
  const wrong = values.find((item) => !vocabulary.includes(item));
  if (wrong !== undefined)
    throw notValid(
      `invalid constraint value: ${key}=${wrong}, valid values are: [${nearest(wrong, vocabulary)}]`,
    );
}

/** The ten values most similar to the wrong one, as a cloud may have hundreds of instance types. */
function nearest(wrong: string, vocabulary: readonly string[]): string {
  const most = 10;
  const sorted = [...vocabulary].sort(
    (a, b) => editDistance(wrong, a) - editDistance(wrong, b) || (a < b ? -1 : 1),
  );
  const more = vocabulary.length - most;
  return sorted.slice(0, most).join(' ') + (more > 0 ? ` ...(plus ${more} more)` : '');
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
