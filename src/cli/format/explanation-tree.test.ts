import { describe, expect, test } from 'vitest';
import {
  ago,
  application,
  dying,
  explainView,
  hookFailed,
  inScope,
  machine,
  now,
  relation,
  status,
  unit,
} from '../../testing/explain-view.ts';
import type { EntityRef } from '../../core/entity-ref.ts';
import { actorsOf, explain } from '../../core/explain/explain.ts';
import type { Explanation, ExplainView } from '../../core/explain/explanation.ts';
import { explanationTree } from './explanation-tree.ts';

type Answer = Parameters<typeof explanationTree>[0];

function tree(entity: EntityRef, view: ExplainView, quotas: Answer['quotas'] = []): string {
  const explanation = explain(entity, view);
  const next = actorsOf(explanation).map((actor) =>
    actor.hook
      ? { ...actor, hook: { ...actor.hook, said: [{ line: 'no space left on device', times: 4 }] } }
      : actor,
  );
  const wire = ({ waitsFor, ...rest }: Explanation): Answer['explanation'] => ({
    ...rest,
    'waits-for': waitsFor.map(wire),
  });
  return explanationTree({ now, explanation: wire(explanation), next, quotas });
}
const quiet = { model: { config: { 'automatically-retry-hooks': false } } };

describe('explanationTree', () => {
  test('the tree lists limits that are nearly used up', () => {
    const quota = (used: number, of: string) => ({
      limit: 'charmState',
      of,
      used,
      max: 2_097_152,
      unit: 'bytes',
    });
    const quotas = [quota(1_677_721, 'not near'), quota(1_677_722, 'near'), quota(2_097_152, 'charm state')];
    const text = tree({ kind: 'model', id: 'm' }, explainView({}), quotas);
    expect(text).toContain(
      [
        '',
        'Limits:',
        '  near: 1,677,722 of 2,097,152 bytes (80 %)',
        '  charm state: 2,097,152 of 2,097,152 bytes (100 %)',
        '',
      ].join('\n'),
    );
    expect(text).not.toContain('not near');
    expect(tree({ kind: 'model', id: 'm' }, explainView({}))).not.toContain('Limits');
  });

  test('the tree of an application groups units with the same failed hook', () => {
    const units = ['mysql/0', 'mysql/1', 'mysql/2'];
    const view = explainView(
      {
        application: application('mysql', dying(12)),
        unit: {
          ...unit('web/0', '3'),
          ...Object.fromEntries(units.flatMap((name, n) => Object.entries(unit(name, String(n), dying(12))))),
        },
        machine: { ...machine('0'), ...machine('1'), ...machine('2'), ...machine('3') },
        relation: relation(1, 'web:db mysql:server', dying(12)),
        scope: inScope(1, 'mysql/2', 'web/0'),
        status: {
          ...hookFailed('mysql/0'),
          ...hookFailed('mysql/1'),
          ...status('unit-agent', 'mysql/2', 'executing', 'running server-relation-broken hook'),
        },
      },
      quiet,
    );
    expect(tree({ kind: 'application', id: 'mysql' }, view)).toMatchInlineSnapshot(`
      "application mysql: dying for 12m, waits for 3 units and 1 relation
      ├─ unit mysql/0: dying for 12m, hook failed: "stop"
      ├─ unit mysql/1: dying for 12m, hook failed: "stop"
      ├─ unit mysql/2: dying for 12m, its agent is running server-relation-broken hook
      │  └─ relation web:db mysql:server: dying for 12m, to be left
      └─ relation web:db mysql:server: dying for 12m, 2 units are in its scope
         ├─ unit web/0: alive, it has not left the relation yet
         └─ unit mysql/2: as above

      Who must act:
        you, for units mysql/0, mysql/1 (last failed 3m ago): fix what makes hook stop fail
            | no space left on device  (2 units, 8 times)
            resolved mysql/0 mysql/1                                            # runs hook stop again
            resolved mysql/0 mysql/1 --no-retry                                 # continues as if hook stop had succeeded
            debug-log --include mysql/0 --include mysql/1 --lines 50 --no-tail  # shows its log
        the agent of unit mysql/2 (1m): runs server-relation-broken hook
        the agent of unit web/0 (12m): leaves the relation
      "
    `);
  });

  test('the tree of a unit shows its forced removal', () => {
    const force = { deadline: '2026-01-01T01:00:40.000Z', by: 'user-admin' };
    const view = explainView(
      {
        unit: {
          ...unit('mysql/0', '0', { ...dying(1), force }),
          ...unit('log/0', '0', { ...dying(1), principal: 'mysql/0' }),
        },
        machine: machine('0'),
      },
      { absent: { 0: 90 } },
    );
    expect(tree({ kind: 'unit', id: 'mysql/0' }, view)).toMatchInlineSnapshot(`
      "unit mysql/0: dying for 1m, its agent is lost with that of machine 0 (forced by admin, cleared at 01:00:40Z)
      └─ unit log/0: dying for 1m, its agent is lost with that of machine 0

      Who must act:
        the cleaner, for unit log/0: removes what is left of it at 01:00:40Z
        the cleaner, for unit mysql/0: removes what is left of it at 01:00:40Z
      "
    `);
  });

  test('the tree of a machine that is up has no causes', () => {
    const view = explainView({
      application: application('web'),
      unit: unit('web/0', '0'),
      machine: machine('0', { removeWhenEmpty: false }),
      status: status('workload', 'web/0', 'active'),
    });
    expect(tree({ kind: 'machine', id: '0' }, view)).toMatchInlineSnapshot(`
      "machine 0: alive, no problems found

      To remove it (remove-machine refuses because of 1 alive unit):
        remove-unit web/0  # empties it
        remove-machine 0   # then releases its instance
      "
    `);
  });

  test('the tree of a machine that cannot be removed says why', () => {
    const view = explainView({ machine: machine('0', { isController: true }) });
    expect(tree({ kind: 'machine', id: '0' }, view)).toMatchInlineSnapshot(`
      "machine 0: alive, no problems found

      No command removes it alone: machine 0 runs the only controller
      "
    `);
  });

  test('the tree counts the causes that it does not list', () => {
    const units: Record<string, object> = {};
    for (let n = 0; n < 1234; n++) Object.assign(units, unit(`mysql/${n}`, String(n), dying(3)));
    const view = explainView({
      application: application('mysql', { life: 'dying', dyingSince: ago(3) }),
      unit: units,
    });
    const text = tree({ kind: 'application', id: 'mysql' }, view);
    expect(text).toContain('application mysql: dying for 3m, waits for 1,234 units\n├─ unit mysql/0: ');
    expect(text).toContain('├─ unit mysql/9: dying for 3m, it has no machine\n└─ … and 1,224 more\n');
    expect(text, 'nobody is left out silently').toMatch(
      /\n  you, for unit mysql\/9: [^]*\n  and the actors for 1,224 causes that are not listed\n$/,
    );
  });
});
