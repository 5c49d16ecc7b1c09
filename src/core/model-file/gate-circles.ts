/** Circles of gates that steps would close together with the gates of the model. */
import { ownValue } from '../bundle/own.ts';
import type { BundleModel } from '../bundle/bundle-model.ts';
import { closedIn } from '../bundle/waits.ts';
import { JujuError } from '../errors.ts';
import { refuseCircle } from '../gates/circle.ts';
import type { ModelStep } from './step.ts';

/** Returns a problem for each step, in their order, that the controller would refuse for a circle. */
export function gateCircles(model: BundleModel, steps: readonly ModelStep[]): string[] {
  const graph = new ClosedGates(model);
  return steps.flatMap((step) => {
    switch (step.kind) {
      case 'deploy':
        return graph.set(step.application, Object.keys(step.after ?? {}));
      case 'set-after': {
        const { application, after } = step;
        const has = ownValue(model.state.applications, application)?.after ?? {};
        const closed = new Set(closedIn(model.requirements, application));
        const isOpen = (other: string): boolean => Object.hasOwn(has, other) && !closed.has(other);
        return graph.set(
          application,
          Object.keys(after).filter((other) => !isOpen(other)),
        );
      }
      case 'reset-after':
      case 'remove-application':
        return graph.set(step.application, []);
      default:
        return [];
    }
  });
}

class ClosedGates {
  readonly #after = new Map<string, readonly string[]>();
  readonly #before = new Map<string, Set<string>>();

  constructor({ requirements }: BundleModel) {
    for (const name of Object.keys(requirements)) this.#put(name, closedIn(requirements, name));
  }

  /** Replaces the gates of an application, unless that is a problem, which is returned. */
  set(name: string, others: readonly string[]): string[] {
    try {
      refuseCircle(name, others, {
        after: (one) => this.#after.get(one) ?? [],
        before: (one) => this.#before.get(one) ?? [],
      });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      return [`applications.${name}.after: ${error.message}`];
    }
    this.#put(name, others);
    return [];
  }

  #put(name: string, others: readonly string[]): void {
    for (const other of this.#after.get(name) ?? []) this.#before.get(other)?.delete(name);
    this.#after.set(name, others);
    for (const other of others) {
      const waiting = this.#before.get(other) ?? new Set();
      this.#before.set(other, waiting.add(name));
    }
  }
}
