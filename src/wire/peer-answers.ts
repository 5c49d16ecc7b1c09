/**
 * Answers of another controller about relations with its models (offers.md#over-the-wire). That may be Juju's, or claim
 * to be: each answer is read by these schemas, which skip unknown members.
 */
import { z } from 'zod';
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { fromWireError } from './errors.ts';

const error = z
  .object({
    message: z.string(),
    code: z.string().optional(),
    info: z.record(z.string(), z.unknown()).nullish(),
  })
  .nullish();
const number = z.int().nonnegative();
const settings = z.record(z.string(), z.coerce.string());
const lives = z.enum(['alive', 'dying', 'dead']);

/** Go's JSON has null or no member for an empty list. */
function listOf<T extends z.ZodType>(of: T) {
  return z
    .array(of)
    .max(limits.peerUnits.max)
    .nullish()
    .transform((list) => list ?? []);
}

function answer<T extends z.ZodType>(result: T) {
  return z.object({ results: z.array(z.object({ error }).and(result)).length(1) });
}

const watcher = { 'watcher-id': z.string().max(limits.recordId.max).default('') };
/** Change at the other side of a relation. */
const event = z.object({
  life: z.union([lives, z.literal('')]).optional(),
  suspended: z.boolean().nullish(),
  'suspended-reason': z.string().nullish(),
  'application-settings': settings.nullish(),
  'changed-units': listOf(z.object({ 'unit-id': number, settings: settings.nullish() })),
  'departed-units': listOf(number),
  /** Number of units in scope. */
  'unit-count': number.nullish(),
});
export type PeerEvent = z.output<typeof event>;
const lifeChange = z.object({
  life: lives,
  suspended: z.boolean().default(false),
  'suspended-reason': z.string().default(''),
});
export type PeerLife = z.output<typeof lifeChange>;
const offerStatus = z.object({
  status: z.object({ status: z.string(), info: z.string().default(''), since: z.string().nullish() }),
});
export type PeerOffer = z.output<typeof offerStatus>;

const secretNews = z.object({ uri: z.string().max(limits.recordId.max), revision: number });
export type PeerSecret = z.output<typeof secretNews>;

const eventOrNone = event
  .nullish()
  .transform((told): PeerEvent => told ?? { 'changed-units': [], 'departed-units': [] });

export const peerAnswers = {
  done: answer(z.object({})),
  registered: answer(z.object({ result: z.object({ macaroon: z.unknown() }).nullish() })),
  relation: answer(z.object({ ...watcher, changes: eventOrNone })),
  lives: answer(z.object({ ...watcher, changes: listOf(lifeChange) })),
  secrets: answer(z.object({ ...watcher, changes: listOf(secretNews) })),
  secretScope: answer(z.object({ result: z.string().max(limits.recordId.max).optional() })),
  secretContent: answer(
    z.object({
      content: z.object({ data: z.record(z.string(), z.string()).nullish() }).nullish(),
      'latest-revision': number.nullish(),
    }),
  ),
  controllerWatcher: answer(z.object({ NotifyWatcherId: z.string().max(limits.recordId.max).default('') })),
  /** Addresses and certificate of a controller; Juju writes `cacert`. */
  controllerInfo: answer(
    z.object({ addresses: z.array(z.string()).nullish(), cacert: z.string().default('') }),
  ),
  offers: answer(z.object({ ...watcher, changes: listOf(offerStatus) })),
  nextOfController: z.object({ error }),
  nextOfRelation: z.object({ error, changes: eventOrNone }),
  nextOfLives: z.object({ error, changes: listOf(lifeChange) }),
  nextOfSecrets: z.object({ error, changes: listOf(secretNews) }),
  nextOfOffers: z.object({ error, changes: listOf(offerStatus) }),
};

/** Reads an answer of another controller. Errors: `not valid`, when it is not what its schema says. */
export function readAnswer<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new JujuError(
    'not valid',
    `the other controller's answer is not valid: ${place}: ${issue?.message ?? ''}`,
  );
}

interface WithError {
  readonly error?: z.output<typeof error>;
}

/** The single result of an answer. Errors: the result's own. */
export function only<R extends WithError>({ results }: { readonly results: readonly R[] }): R {
  return checked(results[0]!);
}

/** A result without an error. Errors: the result's own. */
export function checked<R extends WithError>(result: R): R {
  if (!result.error) return result;
  const { message, code = '', info } = result.error;
  throw fromWireError({ message, code, ...(info && { info: { ...info } }) });
}
