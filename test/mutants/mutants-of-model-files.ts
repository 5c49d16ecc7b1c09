/** Bugs in applies of model files: who holds a model, what a file owns, what is continued; and in reverts. */
import type { Mutant } from './mutants.ts';

const facade = ['model-files', 'owned'].map((name) => `controller/facades/model-files/${name}.test.ts`);
const reverts = ['operate/model-file/revert.test.ts'];

export const mutantsOfModelFiles: readonly Mutant[] = [
  {
    name: 'what an apply changes is taken for what it made',
    file: 'core/model-file/ownership.ts',
    find: `const madeBy = before ? (before as Made).madeBy : makerOf(change, applier);`,
    replace: `const madeBy = makerOf(change, applier);`,
    tests: facade,
  },
  {
    name: 'an option that somebody else sets stays the file’s',
    file: 'core/model-file/ownership.ts',
    find: `else delete owners[key];`,
    replace: ``,
    tests: facade,
  },
  {
    name: 'a client that goes away holds its model for ever',
    file: 'controller/server/connection-resources.ts',
    find: `this.applier.close();`,
    replace: ``,
    tests: facade,
  },
  {
    name: 'a plan stays good whatever users do',
    file: 'controller/facades/model-files/refuse-changed.ts',
    find: `throw staleness(revision, commit);`,
    replace: `break;`,
    tests: facade,
  },
  {
    name: 'a relation does not wait for its applications',
    file: 'core/model-file/step-order.ts',
    find: `return { reads: ends.map(application), writes: ends.map(relations) };`,
    replace: `return { reads: [], writes: ends.map(relations) };`,
    tests: ['core/model-file/step-order.test.ts'],
  },
  {
    name: 'an apply goes on after a failure',
    file: 'operate/model-file/do-in-order.ts',
    find: `failures.length === 0 && next < ready.length`,
    replace: `next < ready.length`,
    tests: ['operate/model-file/do-in-order.test.ts'],
  },
  {
    name: 'a charm that a stopped apply has yet to give to an application goes with the application before',
    file: 'controller/transactions/change/apply-model-file.ts',
    find: `begun: failure === '' ? begun : file.begun, ended`,
    replace: `begun, ended`,
    tests: facade,
  },
  {
    name: 'a charm whose application is removed first is not told to the controller',
    file: 'core/model-file/charms-to-keep.ts',
    find: `delete left[step.application];`,
    replace: ``,
    tests: ['core/model-file/charms-to-keep.test.ts'],
  },
  {
    name: 'a machine that an apply adds is not the file’s',
    file: 'core/model-file/ownership.ts',
    find: `if (change.kind === 'machine' && removeWhenEmpty === true) return undefined;`,
    replace: `if (change.kind === 'machine') return undefined;`,
    tests: facade,
  },
  {
    name: 'a revert deploys charms that are kept for the past without restoring them',
    file: 'core/model-file/revert/plan-revert.ts',
    find: `if (past.charms.get(url) === 'kept' && !charms.has(url)) {`,
    replace: `if (false) {`,
    tests: reverts,
  },
  {
    name: 'a revert forgets whose things were',
    file: 'core/model-file/ownership.ts',
    find: `return (applier.former(change) as Made | undefined)?.madeBy;`,
    replace: `return undefined;`,
    tests: reverts,
  },
  {
    name: 'a revert gives a file what another had set',
    file: 'core/model-file/ownership.ts',
    find: `return (key, value) => (isSame(values.get(key), value) ? doc?.setBy?.[key] : undefined);`,
    replace: `return () => file;`,
    tests: reverts,
  },
  {
    name: 'a revert consumes offers that are gone',
    file: 'core/model-file/revert/revert-file.ts',
    find: `(name) => !lostOffers.has(name)`,
    replace: `() => true`,
    tests: reverts,
  },
];
