import type { Explanation } from './explanation.ts';

/**
 * The same while the store is read-only because of `problem`: no change is taken, and of a damaged store no agent is
 * heard. So whoever repairs it must act, and whatever else would help comes after that.
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
      task: 'repair it as its message says: until then nothing can be changed',
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
