/**
 * Each method for users is answered without an error at least once, by its schema (which the server compares): here, or
 * in the test that docs/reference/api.md names for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiRows } from '../../testing/api-table.ts';
import { calls, refusals } from '../../testing/answers/calls.ts';
import { wordsFor } from '../../testing/answers/words.ts';
import { answeringWorld } from '../../testing/answers/world.ts';
import type { Callers } from '../../testing/call.ts';
import { argumentsOfSize } from '../../testing/fuzz/arguments.ts';
import { errorsIn } from '../../testing/fuzz/error-texts.ts';
import { schemasAt } from '../../wire/facade-spec.ts';
import { versionsOf } from '../../testing/versions-of.ts';
import { facades } from './index.ts';

/** Facades of agents, and of other controllers, have tests of their own. */
const isForUsers = ({ table }: (typeof facades)[number]): boolean =>
  Object.values(table).some(({ needs }) => needs !== 'agent' && needs !== 'anonymous');
/** Facades whose methods take a watcher's id: the tests of methods that make watchers call them. */
const ofWatchers = new Set(['AllWatcher', 'StringsWatcher']);
const served = facades.filter((facade) => isForUsers(facade) && !ofWatchers.has(facade.spec.name));
const order = Object.keys(calls);
/** Methods that are not among the calls and that another test names. */
const testedElsewhere = new Set(
  apiRows()
    .filter(({ test: file }) => !file.endsWith('/api.test.ts'))
    .map(({ facade, method }) => `${facade}.${method}`)
    .filter((name) => !Object.hasOwn(calls, name)),
);

test('the tables of calls and refusals name methods that exist', () => {
  const names = new Set(
    facades.flatMap(({ spec }) => Object.keys(spec.methods).map((name) => `${spec.name}.${name}`)),
  );
  expect([...order, ...Object.keys(refusals)].filter((name) => !names.has(name))).toEqual([]);
});

describe.each(served.filter(({ spec }) => Object.keys(spec.methods).length > 0))('$spec.name', ({ spec }) => {
  let callers: Callers;
  beforeAll(async () => {
    callers = await answeringWorld();
  });
  afterAll(() => callers[Symbol.asyncDispose]());

  const methods = Object.keys(spec.methods)
    .map((method) => ({ method, place: order.indexOf(`${spec.name}.${method}`) }))
    .sort((a, b) => a.place - b.place);
  test.each(methods)('$method', async ({ method }) => {
    const name = `${spec.name}.${method}`;
    const own = await calls[name]?.(callers);
    const version = versionsOf(spec, method).at(-1)!;
    const { params } = schemasAt(spec.methods[method]!, version);
    const made = (['smallest', { bytes: 300 }] as const).map((size) =>
      argumentsOfSize(params, size, (member) => wordsFor(callers, spec.name, member)),
    );
    const failures: string[] = [];
    for (const args of own === undefined ? made : [own]) {
      const messages = await callers.call(spec.name, method, args, { version }).then(
        (answer) => [...errorsIn(answer)].map(({ message }) => message),
        (error: unknown) => [(error as Error).message],
      );
      if (messages.length === 0) return expect(refusals).not.toHaveProperty([name]);
      failures.push(...messages);
    }
    if (testedElsewhere.has(name)) return;
    const expected = refusals[name];
    for (const message of failures)
      if (!expected?.test(message)) expect.fail(`${name} was not answered: ${failures.join('; ')}`);
  });
});
