import { defineKind } from '../kind.ts';

/**
 * A counter that never goes back. Any space; id = what is counted, e.g. `unit mysql`, `machine`, `relation`, `charm
 * mysql`.
 */
interface SequenceDoc {
  readonly name: string;
  readonly next: number;
}

export const sequence = defineKind<SequenceDoc>()({
  space: 'any',
  idOf: ({ name }) => name,
  isQuiet: () => true,
  upkeep: 'new',
});
