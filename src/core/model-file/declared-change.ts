/** Which changes make a plan stale: those of what users declare, and not what agents report (model-files.md#stale-plans). */
import type { Entities, Kind } from '../kinds.ts';

/** A change of one document. */
export interface Change {
  readonly kind: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

const declared: ReadonlySet<string> = new Set<Kind>([
  'application',
  'relation',
  'offer',
  'offer-access',
  'remote-application',
  'storage-pool',
  'secret',
  'secret-grant',
  'secret-revision',
  'space',
  'annotation',
  'resource',
  'access',
  'model',
]);

/** Kinds whose documents users make and end, while agents fill in the rest. */
const counted: ReadonlySet<string> = new Set<Kind>(['unit', 'machine']);

/** Whether the commit, by a tag or a worker's name, changes what is declared. */
export function declares(by: string, change: Change): boolean {
  if (!by.startsWith('user-')) return false;
  return declared.has(change.kind) || (counted.has(change.kind) && isBeginOrEnd(change));
}

function isBeginOrEnd({ before, after }: Change): boolean {
  const lives = [before, after].map((doc) => (doc as Pick<Entities['unit'], 'life'> | undefined)?.life);
  return lives[0] !== lives[1] && (!before || lives[0] === 'alive');
}
