import { expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import { ModelOfRequirements } from '../../testing/requirement-model.ts';
import { requireModes, type RequireMode } from '../requirements/requirement.ts';
import { defined } from '../defined.ts';

interface Generated {
  readonly role: 'provides' | 'requires';
  readonly interface: string;
  readonly scope: 'global' | 'container';
  readonly optional: boolean | undefined;
  readonly isAsked: boolean;
}
interface Charm {
  readonly subordinate: boolean;
  readonly endpoints: readonly Generated[];
}

const endpoint: fc.Arbitrary<Generated> = fc
  .record({
    role: fc.constantFrom('provides' as const, 'requires' as const),
    interface: fc.constantFrom('http', 'mysql', 'juju-info'),
    scope: fc.constantFrom('global' as const, 'container' as const),
    optional: fc.constantFrom(true, false, undefined),
    isAsked: fc.boolean(),
  })
  // The implicit endpoint is the only provider of that interface.
  .map((one) => (one.interface === 'juju-info' ? { ...one, role: 'requires' as const } : one));

const charm: fc.Arbitrary<Charm> = fc
  .tuple(endpoint, fc.array(endpoint, { maxLength: 3 }), fc.boolean())
  .map(([first, endpoints, subordinate]) => ({
    subordinate,
    // Every subordinate has a required endpoint of container scope.
    endpoints: subordinate ? [{ ...first, role: 'requires', scope: 'container' }, ...endpoints] : endpoints,
  }));

function metadata({ subordinate, endpoints }: Charm): Readonly<Record<string, unknown>> {
  const ofRole = (wanted: Generated['role']): object =>
    Object.fromEntries(
      endpoints.flatMap(({ role, interface: its, scope, optional }, i) =>
        role === wanted ? [[`e${i}`, { interface: its, scope, ...defined({ optional }) }]] : [],
      ),
    );
  return { subordinate, provides: ofRole('provides'), requires: ofRole('requires') };
}

/** An independent statement of the rule: which endpoints are required, and which endpoints of two charms fit. */
function isRequired({ role, optional, isAsked }: Generated, mode: RequireMode): boolean {
  const bySetting = { declared: optional === false, all: optional !== true, none: false };
  return role === 'requires' && (isAsked || bySetting[mode]);
}

function fits(a: Charm, b: Charm): boolean {
  const implicit = { role: 'provides', interface: 'juju-info', scope: 'global' } as const;
  return [...a.endpoints, implicit].some((left) =>
    [...b.endpoints, implicit].some(
      (right) =>
        left.interface === right.interface &&
        left.role !== right.role &&
        (a.subordinate || b.subordinate || (left.scope === 'global' && right.scope === 'global')),
    ),
  );
}

const asked = ({ endpoints }: Charm): string[] =>
  endpoints.flatMap(({ isAsked, role }, i) => (isAsked && role === 'requires' ? [`e${i}`] : []));

test('a subordinate is attached by the implicit juju-info only where no other endpoint fits and it requires no other in a container', () => {
  fc.assert(
    fc.property(charm, charm, fc.constantFrom(...requireModes), fc.boolean(), (a, b, mode, isTurned) => {
      const model = new ModelOfRequirements({ a: metadata(a), b: metadata(b) }, mode);
      model.deploy('a', 'a', asked(a));
      model.deploy('b', 'b', asked(b));
      const mayFallBack =
        !fits(a, b) &&
        a.subordinate !== b.subordinate &&
        !(a.subordinate ? a : b).endpoints.some((one) => one.scope === 'container' && isRequired(one, mode));
      const integrate = (): unknown => (isTurned ? model.integrate('b', 'a') : model.integrate('a', 'b'));
      if (!fits(a, b) && !mayFallBack) expect(integrate).toThrow('no relations found');
      else if (mayFallBack) {
        integrate();
        const [subordinate, principal] = a.subordinate ? ['a', 'b'] : ['b', 'a'];
        expect([...model.related.keys()]).toEqual([`${subordinate}:juju-info ${principal}:juju-info`]);
        const missing = model.missing[subordinate] ?? [];
        expect(
          missing.filter(({ endpoint, applications }) => endpoint === 'juju-info' && !applications.length),
        ).toEqual([]);
      } else {
        try {
          integrate();
        } catch (error) {
          expect((error as Error).message).toMatch(/^ambiguous relation/);
        }
        expect([...model.related.keys()]).not.toContain('a:juju-info b:juju-info');
        expect([...model.related.keys()]).not.toContain('b:juju-info a:juju-info');
      }
    }),
    { numRuns: runs(5_000) },
  );
});
