/** Random charms that require each other, and random steps of their applications, for requirements.property.test.ts. */
import { defined } from '../core/defined.ts';
import { requireModes, type RequireMode } from '../core/requirements/requirement.ts';
import fc from './fast-check.ts';

export const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
export const endpoints = ['near', 'one', 'two'] as const;
type Endpoint = (typeof endpoints)[number];

/**
 * Charms whose endpoints all have one interface, so that anything can be integrated with anything: the endpoint `near`
 * has container scope.
 */
export interface Charm {
  readonly subordinate: boolean;
  readonly stated: Readonly<Record<Endpoint, 'required' | 'optional' | undefined>>;
}

export type Command =
  | {
      readonly do: 'deploy';
      readonly application: string;
      readonly units: number;
      readonly require: readonly Endpoint[];
      /** Applications that it comes after. */
      readonly after?: readonly string[];
    }
  | { readonly do: 'set-after'; readonly application: string; readonly after: readonly string[] }
  /** Another application is healthy. */
  | { readonly do: 'healthy'; readonly application: string }
  | { readonly do: 'add-unit'; readonly application: string; readonly to?: string }
  | {
      readonly do: 'integrate';
      readonly requirer: string;
      readonly endpoint: Endpoint;
      readonly provider: string;
    }
  | { readonly do: 'mode'; readonly mode: RequireMode }
  | { readonly do: 'remove-application'; readonly application: string; readonly force: boolean }
  | { readonly do: 'remove-relation' | 'remove-unit'; readonly pick: number; readonly force: boolean };
export type Step = Command | { readonly do: 'place' | 'clean' | 'agents' };

const name = fc.constantFrom(...names);
const force = fc.boolean();
export const charm: fc.Arbitrary<Charm> = fc.record({
  subordinate: fc.nat(3).map((n) => n === 0),
  stated: fc.record({
    near: fc.constantFrom('required', undefined),
    one: fc.constantFrom('required', 'required', 'optional', undefined),
    two: fc.constantFrom('required', 'optional', undefined, undefined),
  }),
});
export const charms = fc.array(charm, { minLength: names.length, maxLength: names.length });

export const deployed: fc.Arbitrary<Command> = fc.record({
  do: fc.constant('deploy'),
  application: name,
  units: fc.nat(2),
  require: fc.subarray(['one', 'two'] as Endpoint[], { maxLength: 1 }),
});
export const integrated: fc.Arbitrary<Command> = fc.record({
  do: fc.constant('integrate'),
  requirer: name,
  endpoint: fc.constantFrom(...endpoints),
  provider: name,
});
export const added: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant('add-unit' as const), application: name }),
  fc.record({ do: fc.constant('add-unit' as const), application: name, to: fc.constantFrom('0', '1') }),
);
const after = fc.subarray([...names], { maxLength: 3 });
/** Changes of gates. */
const gates: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(deployed, after).map(([one, others]) => ({ ...one, after: others })),
  fc.record({ do: fc.constant('set-after' as const), application: name, after }),
  fc.record({ do: fc.constant('healthy' as const), application: name }),
);
/** Choices of the next command among the possible ones. */
export const order = fc.array(fc.nat(1000), { minLength: 80, maxLength: 80 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: deployed },
  { weight: 10, arbitrary: gates },
  { weight: 12, arbitrary: integrated },
  { weight: 4, arbitrary: added },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mode'), mode: fc.constantFrom(...requireModes) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove-application'), application: name, force }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('remove-relation', 'remove-unit'),
      pick: fc.nat(50),
      force,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('place', 'clean', 'agents') }) },
);

export function metaOf({ subordinate, stated }: Charm): Record<string, unknown> {
  const endpoint = (endpointSpec: Endpoint): object => ({
    interface: 'thing',
    ...defined({
      scope: endpointSpec === 'near' ? 'container' : undefined,
      optional: stated[endpointSpec] ? stated[endpointSpec] === 'optional' : undefined,
    }),
  });
  return {
    subordinate,
    provides: { gives: 'thing' },
    requires: Object.fromEntries(
      endpoints.filter((one) => subordinate || one !== 'near').map((one) => [one, endpoint(one)]),
    ),
  };
}

/**
 * Steps that run each command once: integrate and add-unit after the deploys that they need; impossible commands are
 * left out.
 */
export function inOrder(all: readonly Command[], choice: readonly number[]): Step[] {
  const work = ['place', 'agents', 'clean'] as const;
  const left = [...all];
  const existing = new Set<string>();
  const steps: Step[] = [];
  for (let n = 0; ; n++) {
    const ready = left.filter((one) => namedBy(one).every((application) => existing.has(application)));
    if (ready.length === 0) return steps;
    const number = choice[n % choice.length] ?? 0;
    const next = ready[number % ready.length]!;
    left.splice(left.indexOf(next), 1);
    if (next.do === 'deploy') existing.add(next.application);
    steps.push(next);
    if (number % 2 === 0) steps.push({ do: work[number % work.length] ?? 'place' });
  }
}

function namedBy(command: Command): string[] {
  switch (command.do) {
    case 'add-unit':
      return [command.application];
    case 'integrate':
      return [command.requirer, command.provider];
    default:
      return [];
  }
}
