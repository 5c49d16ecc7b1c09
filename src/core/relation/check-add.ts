import { formatBase, sameBase, formatBases, type Base } from '../base.ts';
import type { RelationEndpoint } from './document.ts';
import { JujuError } from '../errors.ts';
import type { Life } from '../life.ts';
import { canRelate } from './infer-endpoints.ts';
import { formatEndpoint, relationKey } from './key.ts';

/** One side of a relation to be made. */
export interface RelationSide {
  readonly endpoint: RelationEndpoint;
  readonly life: Life;
  readonly subordinate: boolean;
  /** The application's base. */
  readonly base: Base;
  /** Whether this is a subordinate without a principal yet, which takes the base of the first one that it joins. */
  readonly free: boolean;
  /** The bases of the application's charm; empty when the charm names none. */
  readonly charmBases: readonly Base[];
  /** Number of relations that the endpoint already has. */
  readonly relations: number;
  /** Whether the application is of another model. */
  readonly remote?: boolean;
}

interface AllowedRelation {
  readonly key: string;
  readonly endpoints: readonly [RelationEndpoint, RelationEndpoint];
  /** The application whose base becomes that of the other end. */
  readonly rebased?: { readonly application: string; readonly base: Base };
}

/**
 * Checks whether a relation may be made, and returns its key, its endpoints (both of container scope when one is), and
 * the base that a free subordinate takes. `existing` is the relation that has the same key now. Errors: `already
 * exists`, `quota limit exceeded`, plain ones for the rest.
 */
export function checkAddRelation(
  sides: readonly [RelationSide, RelationSide],
  existing?: { readonly life: Life },
): AllowedRelation {
  const [a, b] = sides;
  const key = relationKey([a.endpoint, b.endpoint]);
  const refuse = (why: string, code: JujuError['code'] = ''): JujuError =>
    new JujuError(code, `cannot add relation "${key}": ${why}`);
  if (!canRelate(a.endpoint, b.endpoint)) throw refuse('endpoints do not relate');
  if (existing?.life === 'alive') throw refuse(`relation ${key} already exists`, 'already exists');
  if (existing) throw refuse(`relation ${key} is dying, but not yet removed`, 'already exists');
  for (const { endpoint, life, relations } of sides) {
    if (life !== 'alive') throw refuse(`application "${endpoint.application}" is not alive`);
    if (endpoint.limit > 0 && relations >= endpoint.limit)
      throw refuse(
        `establishing a new relation for ${formatEndpoint(endpoint)} would exceed its maximum relation limit of ${endpoint.limit}`,
        'quota limit exceeded',
      );
  }
  if (a.remote && b.remote) throw refuse('both applications are of other models');
  const container = sides.some(({ endpoint }) => endpoint.scope === 'container');
  if (container && (a.remote || b.remote))
    throw refuse('a relation with another model must be of global scope at both ends');
  if (!container) return { key, endpoints: [a.endpoint, b.endpoint] };
  if (!a.subordinate && !b.subordinate)
    throw refuse('container scoped relation requires at least one subordinate application');
  const allowed = { key, endpoints: [inContainer(a.endpoint), inContainer(b.endpoint)] } as const;
  if (sameBase(a.base, b.base)) return allowed;
  for (const [joining, other] of [
    [a, b],
    [b, a],
  ] as const)
    if (canJoin(joining, other))
      return { ...allowed, rebased: { application: joining.endpoint.application, base: other.base } };
  throw refuse(wrongBase(a, b));
}

/**
 * The error for ends of different bases. Both ends run on one machine, so their applications' bases must be equal, also
 * between two subordinates (placing.md#equal-bases).
 */
function wrongBase(a: RelationSide, b: RelationSide): string {
  const ends = a.subordinate && b.subordinate ? 'subordinate' : 'principal and subordinate';
  const basesText = [a, b].map(({ endpoint, base }) => `"${endpoint.application}" has ${formatBase(base)}`);
  return `${ends} applications' bases must match: ${basesText.join(', ')}; ${wouldMatch(a, b)}`;
}

function canJoin({ subordinate, free, charmBases }: RelationSide, { base }: RelationSide): boolean {
  const runs = charmBases.length === 0 || charmBases.some((own) => sameBase(own, base));
  return subordinate && free && runs;
}

function wouldMatch(a: RelationSide, b: RelationSide): string {
  // A charm that names no base runs on any.
  const [restricted, others] = a.charmBases.length > 0 ? [a, b] : [b, a];
  if (restricted.charmBases.length === 0) return 'both support any base';
  const common = restricted.charmBases.filter(
    (base) => others.charmBases.length === 0 || others.charmBases.some((other) => sameBase(base, other)),
  );
  if (common.length > 0) return `both support: ${formatBases(common)}`;
  const supports = [a, b].map(
    ({ endpoint, charmBases }) => `"${endpoint.application}" supports ${formatBases(charmBases)}`,
  );
  return `no base suits both: ${supports.join('; ')}`;
}

function inContainer(endpoint: RelationEndpoint): RelationEndpoint {
  return { ...endpoint, scope: 'container' };
}
