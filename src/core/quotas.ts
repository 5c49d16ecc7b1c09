/**
 * Enforces the limits of each kind of document and their number: every put passes `admit`, whatever writes it. A
 * document that exceeds a limit already (an older version allowed it, or the limit was lowered) may keep its size, or
 * shrink.
 */
import { jsonBytes } from './json-bytes.ts';
import { JujuError } from './errors.ts';
import type { Entities, Kind } from './kinds.ts';
import { mapKinds, specs } from './specs.ts';
import { checkLimit, limits, type Limit } from './limits.ts';
import type { Measure, Quota, Sum } from './quota.ts';

/** Sizes in bytes of documents of upkeep that are always allowed, and by how much larger ones may grow at a time. */
const smallMax = 1024;
const growthMax = 4096;

/** A document that is about to be put. */
interface Put<P extends Kind = Kind> {
  readonly kind: P;
  /** A model's uuid, or '' for the controller's own. */
  readonly space: string;
  readonly id: string;
  readonly doc: Entities[P];
  /** The document that the put replaces. */
  readonly before: Entities[P] | undefined;
  /** The approximate size of its JSON in characters; exact except for escapes and long numbers. */
  readonly size: number;
  /** The number of bytes by which the size of all documents of its space grows. */
  readonly grows: number;
  /** The number of bytes that the document counts for in its space. */
  readonly counts: number;
  /** The current size in bytes of all documents of its space. */
  readonly held: number;
  /** Whether there are `max` documents of the kind under the index's value, not counting this one. */
  readonly isFull: (index: string, value: string, max: number) => boolean;
  /** The number of bytes of the documents of the kind under the index's value, with the one that is replaced. */
  readonly heldBy: (index: string, value: string) => number;
  /** Reads a document of the controller's space. */
  readonly peek: <C extends Kind>(kind: C, id: string) => Entities[C] | undefined;
}

/** The maximum size in bytes of all documents of a model. */
export function modelMax(peek: Put['peek']): number {
  return limitOf(wholeModel, peek).max;
}
const wholeModel = { limit: limits.modelBytes, setting: 'max-model-size' } as const;

/**
 * Refuses growth of a full model. Puts that shrink a document or belong to a removal are always allowed, so that a full
 * model can be emptied.
 */
function checkModel<P extends Kind>(put: Put<P>): void {
  const { space, grows, held, peek } = put;
  if (space === '' || grows <= 0) return;
  const total = held + grows;
  const max = modelMax(peek);
  if (total <= max || (grows <= growthMax && mayOverfill(put, total <= max + max / 8))) return;
  throw new JujuError(
    'quota limit exceeded',
    `records of model ${peek('model', space)?.name ?? space}: ${total} bytes exceed the limit of ${max} (max-model-size); ` +
      'remove applications, units or charms that are not needed',
  );
}

/** Whether the put may exceed the model's size. `hasReserve`: there is room reserved for upkeep. */
function mayOverfill({ kind, doc, before, size }: Put, hasReserve: boolean): boolean {
  if (before && 'life' in doc && doc.life !== 'alive') return true;
  const upkeep = specs[kind].upkeep;
  return (upkeep === 'new' || (upkeep === 'old' && before !== undefined)) && (hasReserve || size <= smallMax);
}

/**
 * Checks a put against all limits. Errors: `quota limit exceeded`, with the subject that is too large or too numerous.
 */
export function admit<P extends Kind>(put: Put<P>): void {
  const { kind, id, doc, before, size } = put;
  if (id.length > limits.recordId.max) checkLimit(limits.recordId, id.length, `id of the ${kind}`);
  if (size > unmeasured[kind]) checkMeasures(put);
  checkModel(put);
  for (const count of quotaOf(kind).counts ?? []) {
    const value = count.value(doc);
    if (value === undefined || (before && count.value(before) === value)) continue;
    const { limit, index } = count;
    if (put.isFull(index, value, limit.max))
      checkLimit(limit, limit.max + 1, `${limit.of} of ${count.whose(doc)}`);
  }
  for (const sum of quotaOf(kind).sums ?? []) checkSum(sum, put);
}

function checkSum<P extends Kind>(sum: Sum<Entities[P]>, put: Put<P>): void {
  const { doc, before, grows, counts, heldBy, peek } = put;
  const value = sum.value(doc);
  if (value === undefined) return;
  const added = before && sum.value(before) === value ? grows : counts;
  if (added <= 0) return;
  const limit = limitOfSum(sum, peek);
  checkLimit(limit, heldBy(sum.index, value) + added, `${limit.of} of ${sum.whose(doc)}`);
}

/** The limit, or the sum's share of the model where that is smaller. */
export function limitOfSum({ limit, share }: Pick<Sum<never>, 'limit' | 'share'>, peek: Put['peek']): Limit {
  return { ...limit, max: Math.min(limit.max, Math.floor(modelMax(peek) / share)) };
}

function checkMeasures<P extends Kind>({ kind, id, doc, before, size, peek }: Put<P>): void {
  const quota = quotaOf(kind);
  const name = (): string => quota.name?.(doc) ?? (id === '' ? kind : `${kind} ${id}`);
  const measures = quota.measures ?? [];
  if (mayExceed(limits.record, size))
    check(
      limits.record,
      { is: unmeasuredPart(doc, measures), was: () => before && unmeasuredPart(before, measures) },
      name,
    );
  for (const measure of measures) {
    const limit = limitOf(measure, peek);
    if (!mayExceed(limit, size)) continue;
    const measuredValue = measured(measure, doc);
    // Most changes leave the measured part unchanged.
    if (before && measuredValue === measured(measure, before)) continue;
    check(limit, { is: measuredValue, was: () => before && measured(measure, before) }, name);
  }
}

/** The measured parts of a document, with their sizes and limits. */
export function usesOf<P extends Kind>(
  kind: P,
  doc: Entities[P],
  peek: Put['peek'],
): { limit: keyof typeof limits; size: number; max: number }[] {
  const { measures = [] } = quotaOf(kind);
  const record = {
    limit: nameOf(limits.record),
    size: jsonBytes(unmeasuredPart(doc, measures)),
    max: limits.record.max,
  };
  return [
    ...measures.map((measure) => ({
      limit: nameOf(measure.limit),
      size: sizeOf(measure.limit, measured(measure, doc)),
      max: limitOf(measure, peek).max,
    })),
    record,
  ];
}

function nameOf(limit: Limit): keyof typeof limits {
  const found = Object.entries(limits).find(([, one]) => one === limit);
  return found![0] as keyof typeof limits;
}

function check(limit: Limit, value: { is: unknown; was: () => unknown }, name: () => string): void {
  const size = sizeOf(limit, value.is);
  if (size <= limit.max || size <= sizeOf(limit, value.was())) return;
  checkLimit(limit, size, `${limit.of} of ${name()}`);
}

/** Whether the document could exceed the limit; false for nearly all documents, which are then not measured. */
function mayExceed(limit: Limit, size: number): boolean {
  return size > sureMax(limit);
}

/** The length up to which a value certainly is within the limit: an escaped character takes six bytes at most. */
function sureMax({ max, unit }: Limit): number {
  return unit === 'bytes' ? max / 6 : max;
}

/** The size by kind up to which documents are within all limits of their parts, whatever the settings are. */
const unmeasured = mapKinds((kind) =>
  Math.min(
    sureMax(limits.record),
    ...(quotaOf(kind).measures ?? []).map(({ limit, setting }) => (setting ? 0 : sureMax(limit))),
  ),
);

/** The size in the limit's unit; 0 for an absent value. */
function sizeOf({ unit }: Limit, value: unknown): number {
  if (unit === 'bytes') return jsonBytes(value);
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function measured<D>({ members = [], of }: Measure<D>, doc: D): unknown {
  if (of) return of(doc);
  return members.length === 1 ? doc[members[0]!] : members.map((member) => doc[member]);
}

/** The record without the parts that are measured by themselves. */
function unmeasuredPart<D extends object>(doc: D, measures: readonly Measure<D>[]): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const { members = [] } of measures)
    for (const member of members) (copy ??= { ...doc } as Record<string, unknown>)[member] = null;
  return copy ?? doc;
}

/** The limit, with the controller's setting where there is one. */
function limitOf<D>({ limit, setting }: Measure<D>, peek: Put['peek']): Limit {
  const configured = setting && peek('controller', 'self')?.config[setting];
  if (configured === undefined) return limit;
  return { ...limit, max: Number(configured) === 0 ? Number.MAX_SAFE_INTEGER : Number(configured) };
}

function quotaOf<P extends Kind>(kind: P): Quota<Entities[P]> {
  return specs[kind].quota ?? {};
}
