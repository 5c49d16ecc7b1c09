/**
 * Whether a charm knows the contents of its resources, whatever charms it had meanwhile (refresh.md#rolled-resources).
 */
import { expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import { remote as remoteOf } from '../../testing/unit-states.ts';
import { failHook, finishDeploy, finishHook, startDeploy, startHook } from './advance.ts';
import { newLocalState, type LocalState } from './local-state.ts';
import { nextOperation } from './next-operation.ts';

/** An application: its charm, and the contents of its resources, each with the version that units are told of. */
interface Revision {
  readonly charmUrl: string;
  readonly charmModifiedVersion: number;
  readonly content: string;
}
type Event =
  | { readonly kind: 'refresh'; readonly charm: boolean; readonly content: boolean }
  | { readonly kind: 'rollback' | 'config' | 'reboot' }
  /** `fails`: the next hooks fail; `reads`: a hook of any kind asks for the resource. */
  | { readonly kind: 'run'; readonly steps: number; readonly fails: boolean; readonly reads: boolean };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('refresh' as const), charm: fc.boolean(), content: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('rollback' as const, 'config', 'reboot') }),
  fc.record({
    kind: fc.constant('run' as const),
    steps: fc.integer({ min: 1, max: 5 }),
    fails: fc.boolean(),
    reads: fc.boolean(),
  }),
);

/** A unit with a hook that has failed. */
const failing: readonly Event[] = [
  { kind: 'run', steps: 9, fails: false, reads: false },
  { kind: 'config' },
  { kind: 'run', steps: 1, fails: true, reads: false },
];

class Unit {
  local: LocalState = newLocalState;
  seen = '';
  now: Revision = { charmUrl: 'local:a-0', charmModifiedVersion: 0, content: 'c0' };
  /**
   * The revision that the controller knows the unit to have taken: the unit's hooks get the contents of that revision.
   */
  #taken = this.now;
  #before: Revision | undefined;
  #highest = 0;
  #count = 0;
  #config = 0;
  #boot = 0;

  apply(one: Event): void {
    const n = ++this.#count;
    if ('steps' in one) for (let step = 0; step < one.steps; step++) this.step(one);
    else if (one.kind === 'refresh') {
      this.#before = this.now;
      this.now = {
        charmUrl: one.charm ? `local:a-${n}` : this.now.charmUrl,
        charmModifiedVersion: one.content ? ++this.#highest : this.now.charmModifiedVersion,
        content: one.content ? `c${n}` : this.now.content,
      };
    } else if (one.kind === 'rollback') [this.now, this.#before] = [this.#before ?? this.now, undefined];
    else if (one.kind === 'config') this.#config++;
    else this.#boot++;
  }

  /** Carries out the next operation. Returns false when nothing is left to do. */
  step({ fails, reads }: { readonly fails: boolean; readonly reads: boolean }): boolean {
    const { charmUrl, charmModifiedVersion } = this.now;
    const remote = remoteOf({
      charmUrl,
      charmModifiedVersion,
      forceCharm: true,
      configHash: `h${this.#config}`,
      bootId: `b${this.#boot}`,
      retryDue: true,
    });
    const op = nextOperation(this.local, remote);
    if (op.kind === 'deploy') {
      this.#taken = this.now;
      this.local = startDeploy(this.local, op.charmUrl, op.upgrade);
      this.local = finishDeploy(this.local, { charmUrl, charmModifiedVersion }, op.upgrade);
    } else if (op.kind === 'run-hook') {
      const { hook } = op;
      this.local = startHook(this.local, hook, `h${++this.#count}`);
      if (reads || hook.kind === 'install' || hook.kind === 'upgrade-charm') this.seen = this.#taken.content;
      this.local = fails ? failHook(this.local) : finishHook(this.local, hook, remote);
    } else return false;
    return true;
  }
}

test('a charm has finally seen the secret contents that its application has', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const unit = new Unit();
      for (const one of [...failing, ...events]) unit.apply(one);
      for (let left = 100; unit.step({ fails: false, reads: false }); left--)
        if (left === 0) throw new Error('it never rests');
      expect(unit.local.charmUrl).toBe(unit.now.charmUrl);
      expect(unit.seen).toBe(unit.now.content);
    }),
    { numRuns: runs(5_000) },
  );
});
