import { defined } from '../defined.ts';
import { describe, expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import { ModelOfRequirements, required } from '../../testing/requirement-model.ts';
import type { RequirementModel } from './graph.ts';
import { namedMax, requireModes, type Missing, type RequireMode, type Requirement } from './requirement.ts';
import { settle, type Settled } from './settle.ts';

/** The rule read literally: assume that no application misses anything, then repeatedly make pending those that do. */
function naive({ applications, related }: ModelOfRequirements, model: RequirementModel) {
  const requirements = (name: string): readonly Requirement[] => model.application(name)?.requirements ?? [];
  const others = (name: string, { endpoint, anyPrincipal }: Requirement): string[] =>
    [...related.values()].flatMap(({ endpoints }) => {
      const own = endpoints.find((end) => end.application === name);
      const other = endpoints.find((end) => end.application !== name);
      if (!own || !other) return [];
      const isPrincipal = !applications.get(other.application)?.meta.subordinate;
      const fits = anyPrincipal
        ? own.scope === 'container' && isPrincipal
        : own.name === endpoint && own.role === 'requirer';
      return fits ? [other.application] : [];
    });
  const pending = new Set<string>();
  const missing = (name: string): Missing[] =>
    requirements(name).flatMap((one): Missing[] => {
      const names = [...new Set(others(name, one))].sort();
      if (names.some((other) => !pending.has(other))) return [];
      const lacks = ({ endpoint }: Requirement): boolean =>
        one.impliedBy?.includes(endpoint) === true &&
        others(name, { endpoint, interface: '' }).every((other) => pending.has(other));
      if (requirements(name).some(lacks)) return [];
      const { endpoint, interface: its, shown } = one;
      return [{ endpoint, interface: its, ...defined({ shown }), applications: names.slice(0, namedMax) }];
    });
  for (let before = -1; before !== pending.size;) {
    before = pending.size;
    for (const name of applications.keys()) if (missing(name).length > 0) pending.add(name);
  }
  return {
    missing: Object.fromEntries([...pending].map((name) => [name, missing(name)])),
    others: (name: string): string[][] => requirements(name).map((one) => others(name, one)),
  };
}

/** A model that was never settled: each application is in the state that the given function returns. */
function unsettled(model: ModelOfRequirements, missing: readonly Missing[] | undefined): RequirementModel {
  return {
    application(name) {
      const application = model.application(name);
      if (!application) return undefined;
      const { missing: _, ...rest } = application;
      return missing ? { ...rest, missing } : rest;
    },
    relations: (application, endpoint) => model.relations(application, endpoint),
  };
}

const inContainer = { scope: 'container' };
const charms = {
  source: { provides: { out: 'a', other: 'b' } },
  a: { requires: { in: required('a') }, provides: { out: 'a' } },
  b: { requires: { in: required('a'), other: 'b' }, provides: { out: 'b' } },
  c: { requires: { in: required('a'), more: required('b') }, provides: { out: 'a', also: 'b' } },
  sub: {
    subordinate: true,
    requires: { host: { interface: 'juju-info', ...inContainer }, in: 'a' },
    provides: { out: 'b', tap: { interface: 'bus', ...inContainer } },
  },
  beside: {
    subordinate: true,
    requires: {
      bus: required('bus', inContainer),
      host: { interface: 'juju-info', ...inContainer },
    },
    provides: { tap: { interface: 'bus', ...inContainer } },
  },
  log: {
    subordinate: true,
    requires: { dir: required('a', inContainer), master: required('b') },
    provides: { out: 'a' },
  },
};

type Command =
  | { readonly do: 'deploy'; readonly charm: string; readonly name: number }
  | { readonly do: 'integrate' | 'remove-relation'; readonly pick: number }
  | { readonly do: 'remove-application'; readonly name: number }
  | { readonly do: 'require'; readonly mode: RequireMode };

const pick = fc.nat(10_000);
const name = fc.nat(8);
/** Charms that mostly require what they provide, as circles consist of those. */
const kind = fc.constantFrom('a', 'a', 'a', 'a', 'a', 'a', 'b', 'c', 'c', 'source', 'sub', 'log', 'beside');
const integrate = fc.record({ do: fc.constant('integrate' as const), pick });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 20, arbitrary: integrate },
  { weight: 16, arbitrary: fc.record({ do: fc.constant('remove-relation' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deploy' as const), charm: kind, name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-application' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('require' as const), mode: fc.constantFrom(...requireModes) }),
  },
);
const script = fc
  .tuple(fc.array(kind, { minLength: 3, maxLength: 8 }), fc.array(command, { minLength: 20, maxLength: 60 }))
  .map(([kinds, commands]) => [
    ...kinds.map((one, index): Command => ({ do: 'deploy', charm: one, name: index })),
    ...commands,
  ]);

/** A command to run; undefined when there is nothing to do. */
function give(model: ModelOfRequirements, one: Command): Settled | undefined {
  switch (one.do) {
    case 'deploy':
      return model.applications.has(`x${one.name}`) ? undefined : model.deploy(one.charm, `x${one.name}`);
    case 'integrate': {
      const ends = picked(possible(model), one.pick);
      return ends && model.integrate(...ends);
    }
    case 'remove-relation': {
      const [a, b] = picked([...model.related.keys()], one.pick)?.split(' ') ?? [];
      return a !== undefined && b !== undefined ? model.removeRelation(a, b) : undefined;
    }
    case 'remove-application':
      return model.removeApplication(`x${one.name}`);
    case 'require':
      return model.require(one.mode);
  }
}

function picked<T>(from: readonly T[], pick: number): T | undefined {
  return from[pick % from.length];
}

/** Possible relations that do not exist, as `x1:in x2:out`. */
function possible(model: ModelOfRequirements): [string, string][] {
  const names = [...model.applications.keys()];
  return names
    .flatMap((from) => names.flatMap((to) => pairs(model, from, to)))
    .filter((ends) => !model.related.has(ends.join(' ')));
}

function pairs(model: ModelOfRequirements, from: string, to: string): [string, string][] {
  const [a, b] = [model.applications.get(from)?.meta, model.applications.get(to)?.meta];
  if (!a || !b || from === to) return [];
  return Object.values(a.endpoints)
    .filter(({ role }) => role === 'requirer')
    .flatMap((one) =>
      [...Object.values(b.endpoints), { name: 'juju-info', role: 'provider', interface: 'juju-info' }]
        .filter((other) => other.role === 'provider' && other.interface === one.interface)
        .map((other): [string, string] => [`${from}:${one.name}`, `${to}:${other.name}`]),
    );
}

describe('settling', () => {
  test('settling after each change gives what settling everything at once gives, and what a literal reading of the rule gives', () => {
    fc.assert(
      fc.property(script, (commands) => {
        const model = new ModelOfRequirements(charms);
        for (const one of commands) {
          const before = model.missing;
          const settled = give(model, one);
          if (!settled) continue;
          const { missing, others } = naive(model, model);
          expect(model.missing).toEqual(missing);
          const names = [...model.applications.keys()];
          const hope = settle(unsettled(model, undefined), names);
          expect(Object.fromEntries(hope.changed)).toEqual(missing);
          const gloom = settle(unsettled(model, [{ endpoint: '', interface: '', applications: [] }]), names);
          expect(names.filter((name) => gloom.changed.get(name) === undefined).sort()).toEqual(
            names.filter((name) => !missing[name]).sort(),
          );

          checkOrder(settled, others, (name) => missing[name] === undefined);
          checkOrder(gloom, others, (name) => missing[name] === undefined);
          const became = Object.keys(before).filter((name) => model.applications.has(name) && !missing[name]);
          expect([...settled.deployable].sort()).toEqual(became.sort());
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test('settling ends the same whatever the order of the commands', () => {
    const shuffled = script.map(modelOf).chain((model) => {
      const commands = commandsThatMake(model);
      const all = { minLength: commands.length, maxLength: commands.length };
      return fc.record({ model: fc.constant(model), commands: fc.shuffledSubarray(commands, all) });
    });
    fc.assert(
      fc.property(shuffled, ({ model, commands }) => {
        const other = new ModelOfRequirements(charms);
        const isThere = (end: string): boolean => other.applications.has(end.split(':')[0] ?? '');
        // A relation command that precedes its applications is tried again later.
        for (let left = commands; left.length > 0;)
          left = left.filter(([verb, a, b]) => {
            if (verb === 'deploy') other.deploy(a, b);
            else if (isThere(a) && isThere(b)) other.integrate(a, b);
            else return true;
            return false;
          });
        expect(other.missing).toEqual(model.missing);
      }),
      { numRuns: runs(200) },
    );
  });
});

/** Requires the endpoints that the charms declare. */
function modelOf(commands: readonly Command[]): ModelOfRequirements {
  const model = new ModelOfRequirements(charms);
  for (const one of commands) if (one.do !== 'require') give(model, one);
  return model;
}

/** The length of the shortest circle through the application. */
function commandsThatMake({ applications, related }: ModelOfRequirements) {
  return [
    ...[...applications].map(([name, { meta }]) => ['deploy', meta.name, name] as const),
    ...[...related.keys()].map((key) => {
      const [a = '', b = ''] = key.split(' ');
      return ['integrate', a, b] as const;
    }),
  ];
}

/** Every application has what it requires when its turn comes, or gets it together with the rest of its circle. */
function checkOrder(
  { deployable, circles }: Settled,
  others: (name: string) => string[][],
  isDeployable: (name: string) => boolean,
): void {
  expect(new Set(deployable).size).toBe(deployable.length);
  const later = new Set(deployable);
  for (const name of deployable) {
    const circle = circles.find((one) => one.includes(name)) ?? [];
    for (const candidates of others(name))
      expect(
        candidates.some((one) => isDeployable(one) && (!later.has(one) || circle.includes(one))),
        `${name} before what it requires`,
      ).toBe(true);
    later.delete(name);
  }
  for (const circle of circles) {
    expect(circle.length).toBeGreaterThan(1);
    expect(circle.some((name) => deployable.includes(name))).toBe(true);
    for (const name of circle)
      expect(
        others(name).some((candidates) => candidates.some((one) => one !== name && circle.includes(one))),
      ).toBe(true);
  }
}
