/**
 * Refusals: why a removal may not even begin (removal.md#refusals). Transactions throw a refusal; a plan reports it
 * without trying.
 */
import type { EntityRef } from '../entity-ref.ts';
import type { ErrorCode } from '../errors.ts';
import type { Impediment, Refs } from '../impediments.ts';
import { living } from '../living.ts';

export interface Refusal {
  readonly code: ErrorCode | '';
  readonly message: string;
  /** Impediments that --force passes over; absent where force does not help. */
  readonly passedOver?: readonly Impediment[];
}

/** The reason to refuse the removal; undefined when it is accepted. `code` and `message` are Juju's. */
export function removalRefusal(refs: Refs, { kind, id }: EntityRef): Refusal | undefined {
  return living[kind].refusal(id, refs);
}
