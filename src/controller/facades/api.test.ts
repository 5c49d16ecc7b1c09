/** Calls of every method that is announced, with arguments made from its schema and names that exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { schemasAt } from '../../wire/facade-spec.ts';
import { versionsOf } from '../../testing/versions-of.ts';
import { absentState, apiRows, withApiTable } from '../../testing/api-table.ts';
import { createCallers, type Callers } from '../../testing/call.ts';
import { wordsFor } from '../../testing/answers/words.ts';
import { argumentsOfSize } from '../../testing/fuzz/arguments.ts';
import { jujuMethods } from '../../testing/juju-methods.ts';
import { facades } from './index.ts';

const rows = apiRows();
const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/api.md'), 'utf8');
/** Lines of the page, as formatters leave them, without the column of tests: any new test may come first in it. */
const lines = (text: string): string[] =>
  text.split('\n').map((line) =>
    line
      .replace(/ *\| */g, '|')
      .replace(/-+/g, '-')
      .replace(/\|\[[^|]*\|$/, '|'),
  );

test('docs/reference/api.md has the table that the code gives (npm run docs:api)', () => {
  expect(lines(page)).toEqual(lines(withApiTable(page)));
});

test('the table has every method of Juju’s clients', () => {
  const all = new Set(rows.map(({ facade, method }) => `${facade}.${method}`));
  const named = Object.entries(jujuMethods).flatMap(([facade, { methods }]) =>
    methods.split(/\s+/).map((method) => `${facade}.${method}`),
  );
  expect(named.filter((name) => !all.has(name))).toEqual([]);
});

const waiting = new Set(['Next']);
const takesAway = /^(Destroy|Remove)/;
const ofAgents = new Set(['MachineAgent', 'AgentWatcher']);

test.each(rows.filter(({ state }) => state === absentState))(
  '$facade.$method is of a facade that is not announced',
  async ({ facade, method }) => {
    await using callers = await createCallers();
    await expect(callers.call(facade, method)).rejects.toMatchObject({ code: 'not implemented' });
  },
);

describe.each(facades.filter(({ spec }) => !ofAgents.has(spec.name) && Object.keys(spec.methods).length > 0))(
  '$spec.name',
  ({ spec }) => {
    let callers: Callers;
    beforeAll(async () => {
      callers = await createCallers();
      await callers.addCharm('web', { provides: { db: 'x' } });
      await callers.call('Application', 'Deploy', {
        applications: [
          {
            application: 'web',
            'charm-url': 'local:web-0',
            'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '24.04' } },
            'num-units': 1,
          },
        ],
      });
    });
    afterAll(() => callers[Symbol.asyncDispose]());

    const calls = Object.entries(spec.methods)
      .filter(([method]) => !waiting.has(method))
      // Methods that take something away come last.
      .sort(([a], [b]) => Number(takesAway.test(a)) - Number(takesAway.test(b)))
      .flatMap(([method, one]) =>
        versionsOf(spec, method).map((version) => ({
          method,
          version,
          params: schemasAt(one, version).params,
        })),
      );
    test.each(calls)(
      '$method in version $version answers by its schema',
      async ({ method, version, params }) => {
        for (const size of ['smallest', { bytes: 300 }] as const) {
          const args = argumentsOfSize(params, size, (member) => wordsFor(callers, spec.name, member));
          // The server compares each result with the method's schema, and throws another error when it differs.
          const error: unknown = await callers.call(spec.name, method, args, { version }).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          if (error !== undefined) expect(error).toBeInstanceOf(JujuError);
        }
      },
    );
  },
);
