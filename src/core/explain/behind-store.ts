import type { Explanation } from './explanation.ts';

/**
 * The explanation while the store is read-only because of `problem`. The store takes no change, and agents of a damaged
 * store cannot report, so the operator who repairs the store is the only actor shown.
 */
export function behindStore(explanation: Explanation, problem: string): Explanation {
  const name = "the controller's store";
  const store: Explanation = {
    kind: 'store',
    id: '',
    name,
    text: `read-only: ${problem}`,
    actor: {
      kind: 'operator',
      name,
      task: 'repair the store as its message says; until then the controller refuses all changes',
      commands: [],
    },
    waitsFor: [],
    more: 0,
    above: false,
  };
  const { waitsFor, ...rest } = withoutActors(explanation);
  return { ...rest, waitsFor: [store, ...waitsFor] };
}

function withoutActors(explanation: Explanation): Explanation {
  const { actor: _, removal: __, waitsFor, ...rest } = explanation;
  return { ...rest, waitsFor: waitsFor.map(withoutActors) };
}
