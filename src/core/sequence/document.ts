import { defineKind } from '../kind.ts';

/**
 * A counter that never goes back. Any space; id = what is counted, e.g. `unit mysql`, `machine`, `relation`, `charm
 * mysql`.
 */
interface SequenceDoc {
  readonly name: string;
  readonly next: number;
}

/** Sequence whose next number is the first of each sequence that does not exist yet; absent = 0. */
export const firstNumbers = '*';

export const sequence = defineKind<SequenceDoc>()({
  space: 'any',
  idOf: ({ name }) => name,
  isQuiet: () => true,
  upkeep: 'new',
});
