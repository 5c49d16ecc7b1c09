/** Bugs in forecasts. */
import type { Mutant } from './mutants.ts';

export const mutantsOfForecasts: readonly Mutant[] = [
  {
    name: 'a start that is under way at the copy of a forecast loses its status',
    file: 'forecast/charms.ts',
    find: `const { status, message } = isOwn ? own : common;`,
    replace: `if (isOwn) return undefined;\n    const { status, message } = common;`,
    tests: ['forecast/charms.test.ts'],
  },
  {
    name: 'a container that a forecast finds on a machine does not start again with it',
    file: 'forecast/played-model.ts',
    find: `      tags: tagsOf(machine, this.#input),`,
    replace: `      tags: {},`,
    tests: ['testing/sim/forecasts.test.ts'],
  },
  {
    name: 'a container that is lost in a forecast is still on its machine',
    file: 'forecast/played-model.ts',
    find: `this.#addMachine(seen, id, agentConf, { found, vanish });`,
    replace: `this.#addMachine(seen, id, agentConf, { found, vanish: () => undefined });`,
    tests: ['testing/sim/forecasts.test.ts'],
  },
  {
    name: 'a forecast is at rest while a failed hook is retried',
    file: 'forecast/play.ts',
    find: `const isAtRest = retried.length === 0 && `,
    replace: `const isAtRest = `,
    tests: ['forecast/play.test.ts'],
  },
  {
    name: 'starts of containers are taken for those of machines',
    file: 'core/forecast/durations.ts',
    find: `hostOf(after.entity) === after.entity ? this.#machines : this.#containers`,
    replace: `this.#machines`,
    tests: ['core/forecast/durations.test.ts'],
  },
  {
    name: 'events of a forecast are in the order in which they were given',
    file: 'core/forecast/events.ts',
    find: `return events.sort((a, b) => a.atMs - b.atMs);`,
    replace: `return events;`,
    tests: ['core/forecast/events.test.ts'],
  },
  {
    name: 'a forecast removes what a file no longer names without --prune',
    file: 'forecast/apply.ts',
    find: `prune: given.prune,`,
    replace: `prune: true,`,
    tests: ['forecast/play.test.ts'],
  },
];
