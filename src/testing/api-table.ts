/** Generated part of docs/reference/api.md: every method that Juju's clients may call, and what answers it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { facades } from '../controller/facades/index.ts';
import { hasVersion, type VersionRange } from '../wire/facade-spec.ts';
import { code, markdownTable, withGenerated } from './generated.ts';
import { jujuMethods } from './juju-methods.ts';

const root = join(import.meta.dirname, '../..');
export const absentState = 'facade not announced';
/** Path of the test that calls every method. */
const ofAll = 'src/controller/facades/api.test.ts';

interface Row {
  readonly facade: string;
  readonly versions: string;
  readonly method: string;
  readonly needs: string;
  readonly state: string;
  readonly test: string;
}

/** Returns the page with its generated part renewed. Errors: when the page has no place for that part. */
export function withApiTable(page: string): string {
  return withGenerated(page, 'api', `${summary()}\n\n${table()}`);
}

function summary(): string {
  const rows = apiRows().filter(({ facade }) => Object.hasOwn(jujuMethods, facade));
  const answered = rows.filter(({ state }) => state === 'answered').length;
  const absent = rows.filter(({ state }) => state === absentState).length;
  return `Of ${rows.length} methods of Juju's clients, ${answered} are answered, ${rows.length - answered - absent} are refused by name, and ${absent} are of facades that are not announced.`;
}

function table(): string {
  const rows = apiRows().map(({ facade, versions, method, needs, state, test }) => [
    facade,
    versions,
    code(method),
    needs,
    state,
    `[${test.split('/').at(-1)}](../../${test})`,
  ]);
  return markdownTable(['facade', 'versions', 'method', 'access', 'state', 'test'], rows);
}

/** Returns all methods of Juju's client facades, and of grigri's own for users, in the order of their names. */
export function apiRows(): Row[] {
  const tested = testsOf();
  const test = (facade: string, method: string): string => tested.get(`${facade}.${method}`) ?? ofAll;
  const served = facades.flatMap(({ spec, table: functions }): Row[] => {
    const versionsOf = (range: VersionRange): string =>
      spec.versions.filter((version) => hasVersion(range, version)).join(', ');
    const answered = Object.entries(spec.methods).map(([method, one]) => ({
      facade: spec.name,
      versions: versionsOf(one),
      method,
      needs: functions[method]!.needs,
      state: 'answered',
      test: test(spec.name, method),
    }));
    const refused = Object.entries(spec.notServed ?? {}).map(([method, one]) => ({
      facade: spec.name,
      versions: versionsOf(one),
      method,
      needs: '',
      state: `${one.code}: ${one.message}`,
      test: 'src/controller/facades/versions.test.ts',
    }));
    return [...answered.filter(({ needs }) => needs !== 'agent'), ...refused];
  });
  const announced = new Set<string>(facades.map(({ spec }) => spec.name));
  const absent = Object.entries(jujuMethods)
    .filter(([facade]) => !announced.has(facade))
    .flatMap(([facade, { methods }]) =>
      methods.split(/\s+/).map((method) => ({
        facade,
        versions: '',
        method,
        needs: '',
        state: absentState,
        test: ofAll,
      })),
    );
  const key = ({ facade, method }: Row): string => `${facade}.${method}`;
  return [...served, ...absent].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Returns the first test file, by name, that names a facade and its method beside each other; by `Facade.Method`. */
function testsOf(): Map<string, string> {
  const found = new Map<string, string>();
  const files = [
    ...globSync('src/**/*.test.ts', { cwd: root }),
    ...globSync('test/**/*.test.ts', { cwd: root }),
  ];
  for (const file of files.sort()) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, facade, method] of text.matchAll(/'(\w+)',\s*(?='(\w+)')/g)) {
      const key = `${facade}.${method}`;
      if (!found.has(key)) found.set(key, file);
    }
  }
  return found;
}
