/** Spaces that a plan binds endpoints of deployed applications to, in which their machines have to have addresses. */
import { mergeBindings, newlyBound } from '../application/bindings.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { defaultSpace } from '../space/document.ts';
import type { ModelStep } from './step.ts';

/** An endpoint that is bound to another space than before; '' = all without one of their own. */
interface NewlyBound {
  readonly application: string;
  readonly endpoint: string;
  readonly space: string;
}

/** Returns what the steps bind, but for the model's own space: every machine is in that one. */
export function newlyBoundBy(steps: readonly ModelStep[], { applications }: Bundle): NewlyBound[] {
  const bindings = new Map<string, Readonly<Record<string, string>>>();
  return steps.flatMap((step): NewlyBound[] => {
    if (step.kind !== 'bind' && step.kind !== 'reset-bindings') return [];
    const { application, bindings: change } = step;
    const before = bindings.get(application) ?? ownValue(applications, application)?.bindings ?? {};
    // Endpoints that neither names are in the default one's space.
    const named = [...new Set([...Object.keys(before), ...Object.keys(change)])].filter(
      (name) => name !== '',
    );
    const charm = { name: '', endpoints: {}, extraBindings: named };
    const after = mergeBindings(before, change, charm, { has: () => true, fallback: defaultSpace });
    bindings.set(application, after);
    return newlyBound(before, after, charm).map(([endpoint, space]) => ({ application, endpoint, space }));
  });
}
