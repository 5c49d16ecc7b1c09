/**
 * Bugs in what is remembered when something takes another's place: an instance, a content, a call. The simulated cloud
 * uses no id twice and heeds no abort.
 */
import type { Mutant } from './mutants.ts';

export const mutantsOfSuccessors: readonly Mutant[] = [
  {
    name: 'the profiles of an instance with the id of a lost one are taken for assigned',
    file: 'controller/workers/profile-assigner.ts',
    find: `=== text && isDeepStrictEqual(instance.profiles, names)) return;`,
    replace: `=== text) return;`,
    tests: ['controller/workers/profile-assigner.test.ts'],
  },
  {
    name: 'a charm on the successor of a lost machine is not told of secrets again',
    file: 'controller/transactions/instance/renew-machine.ts',
    find: `  forgetTold(tx, name);`,
    replace: ``,
    tests: ['controller/transactions/agent/secret-told.test.ts'],
  },
  {
    name: 'a unit gets the content that is rolled out as soon as it is released',
    file: 'controller/transactions/shared/resources.ts',
    find: `const unit = { ...given, released: '' };`,
    replace: `const unit = given;`,
    tests: ['controller/facades/rollouts/rolled-resources.test.ts'],
  },
  {
    name: 'a call that its limit of time aborts is taken for one without effect',
    file: 'controller/workers/limited-calls.ts',
    find: `answer.then(end, () => undefined);`,
    replace: `answer.then(end, end);`,
    tests: ['controller/workers/limited-calls.test.ts'],
  },
];
