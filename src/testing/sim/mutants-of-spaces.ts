/** Bugs in what units are told of their networks. */
import type { Mutant } from './mutant.ts';
import { boundAgain } from './mutant-scripts.ts';

export const mutantsOfSpaces: readonly Mutant[] = [
  {
    name: 'agents do not hear that a subnet is in another space',
    file: 'controller/watchers/concerns-agents.ts',
    find: `return (a?.space ?? defaultSpace) !== (b?.space ?? defaultSpace);`,
    replace: `return false;`,
    steps: boundAgain,
  },
  {
    name: 'agents do not hear of changed bindings',
    file: 'controller/watchers/concerns-agents.ts',
    find: `    a.endpointBindings !== b.endpointBindings ||
`,
    replace: ``,
    steps: boundAgain,
  },
  {
    name: 'changed bindings are no change of the configuration',
    file: 'agent/unit/remote-view.ts',
    find: `bindings.length + egress.length > 0`,
    replace: `egress.length > 0`,
    steps: boundAgain,
  },
];
