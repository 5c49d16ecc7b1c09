import { describe, expect, test } from 'vitest';
import { ModelOfRequirements, required } from '../../testing/requirement-model.ts';
import { isThorough } from '../../testing/thorough.ts';
import type { RequireMode } from './requirement.ts';
import { missingStatus } from './requirement.ts';
import type { Settled } from './settle.ts';

const inContainer = { scope: 'container' };
const charms = {
  wordpress: {
    requires: { db: required('mysql'), cache: 'memcache' },
    provides: { website: 'http', 'logging-dir': { interface: 'logging', ...inContainer } },
  },
  mysql: { provides: { server: 'mysql' } },
  cluster: { requires: { storage: required('ceph') }, provides: { server: 'mysql' } },
  ceph: { provides: { pool: 'ceph' } },
  mediawiki: { requires: { db: 'mysql' } },
  // The charm of the seed: a required contained relation, and a required one outside of the container.
  logging: {
    subordinate: true,
    requires: { 'logging-directory': required('logging', inContainer), 'logging-master': required('syslog') },
  },
  rsyslog: { provides: { syslog: 'syslog' } },
  monitor: { subordinate: true, requires: { host: { interface: 'monitored', ...inContainer } } },
  keeper: {
    subordinate: true,
    requires: { dir: { interface: 'logging', ...inContainer }, store: required('ceph') },
  },
  // Requires another of its principal's subordinates.
  tapper: {
    subordinate: true,
    requires: { bus: required('bus', inContainer), host: { interface: 'juju-info', ...inContainer } },
  },
  bus: {
    subordinate: true,
    requires: { host: { interface: 'juju-info', ...inContainer } },
    provides: { tap: { interface: 'bus', ...inContainer } },
  },
  // Each requires the next.
  ring: { requires: { next: required('ring') }, provides: { prev: 'ring' } },
  tied: { requires: { next: required('ring'), outside: required('mysql') }, provides: { prev: 'ring' } },
  both: { requires: { next: required('ring'), other: required('ring') }, provides: { prev: 'ring' } },
  // A principal that requires its subordinate, which requires it.
  guarded: {
    requires: { guard: required('guard') },
    provides: { post: { interface: 'post', ...inContainer } },
  },
  guard: {
    subordinate: true,
    requires: { post: required('post', inContainer) },
    provides: { guard: 'guard' },
  },
};

/** Commands, and what comes of each. */
type Case = readonly [name: string, ...steps: readonly (readonly [command: string, outcome: string])[]];

function give(model: ModelOfRequirements, command: string): Settled {
  const [verb, a = '', b = '', ...rest] = command.split(' ');
  switch (verb) {
    case 'deploy':
      return b === '--require' ? model.deploy(a, a, rest) : model.deploy(a, b === '' ? a : b);
    case 'integrate':
      return model.integrate(a, b);
    case 'remove-relation':
      return model.removeRelation(a, b);
    case 'remove-application':
      return model.removeApplication(a);
    case 'require-endpoints':
      return model.require(a as RequireMode);
    default:
      throw new Error(`what is ${command}?`);
  }
}

/** Who waits for what now, as far as it changed; who is deployed now, in that order; who together. */
function told({ changed, deployable, circles }: Settled): string {
  return [
    ...[...changed]
      .flatMap(([name, missing]) => (missing ? [`${name} ${missingStatus(missing).message}`] : []))
      .sort(),
    ...(deployable.length > 0 ? [`deployed: ${deployable.join(', ')}`] : []),
    ...circles.map((circle) => `together: ${circle.join(', ')}`),
  ].join(' | ');
}

const needsDb = 'wordpress missing relation: db (mysql)';

describe.each<readonly [string, readonly Case[]]>([
  [
    'required endpoints',
    [
      [
        'one that the charm states is waited for, an unstated one is not',
        ['deploy wordpress', needsDb],
        ['deploy mediawiki', ''],
        ['deploy mysql', ''],
        ['integrate wordpress mysql', 'deployed: wordpress'],
      ],
      [
        'deploy --require makes one required',
        ['deploy mediawiki --require db', 'mediawiki missing relation: db (mysql)'],
        ['deploy mysql', ''],
        ['integrate mediawiki mysql', 'deployed: mediawiki'],
      ],
      [
        'in a model that requires all, every one is; in one that requires none, what was asked for',
        ['deploy wordpress', needsDb],
        ['require-endpoints all', 'wordpress missing relations: db (mysql), cache (memcache)'],
        ['require-endpoints none', 'deployed: wordpress'],
        ['deploy mediawiki --require db', 'mediawiki missing relation: db (mysql)'],
        ['require-endpoints declared', needsDb],
      ],
      [
        'a subordinate that requires no principal needs one all the same',
        ['deploy monitor', 'monitor missing relation: juju-info (juju-info)'],
        ['require-endpoints none', ''],
        ['deploy mysql', ''],
        ['integrate monitor mysql', 'deployed: monitor'],
      ],
      [
        'a subordinate that requires one outside of the container alone needs both',
        ['deploy keeper', 'keeper missing relations: store (ceph), juju-info (juju-info)'],
        ['deploy ceph', ''],
        ['integrate keeper ceph', 'keeper missing relation: juju-info (juju-info)'],
        ['integrate keeper:juju-info ceph', 'deployed: keeper'],
      ],
      [
        'beside a subordinate it has no principal yet',
        ['deploy monitor', 'monitor missing relation: juju-info (juju-info)'],
        ['deploy guard', 'guard missing relation: post (post)'],
        ['deploy guarded', 'guarded missing relation: guard (guard)'],
        ['integrate monitor guarded', 'monitor waiting for application: guarded (juju-info)'],
      ],
      [
        'one that requires another subordinate of its principal needs the principal too',
        ['deploy tapper', 'tapper missing relation: bus (bus)'],
        ['deploy bus', 'bus missing relation: juju-info (juju-info)'],
        ['deploy mysql', ''],
        ['integrate tapper bus', 'tapper waiting for application: bus (bus)'],
        ['integrate bus:host mysql', 'tapper missing relation: juju-info (juju-info) | deployed: bus'],
        ['integrate tapper:host mysql', 'deployed: tapper'],
        ['remove-relation tapper:bus bus:tap', 'tapper missing relation: bus (bus)'],
        ['remove-relation tapper:host mysql:juju-info', ''],
        ['integrate tapper bus', 'tapper missing relation: juju-info (juju-info)'],
      ],
    ],
  ],
  [
    'the seed, word for word: a service',
    [
      [
        'with required relationships: deployed when all required relations are satisfied',
        ['deploy tied', 'tied missing relations: next (ring), outside (mysql)'],
        ['deploy mysql', ''],
        ['integrate tied mysql', 'tied missing relation: next (ring)'],
        ['deploy ring', 'ring missing relation: next (ring)'],
        ['integrate tied:next ring', 'tied waiting for application: ring (next)'],
        ['integrate ring:next tied', 'deployed: ring, tied | together: ring, tied'],
      ],
      ['with only optional (global scoped) relationships: deployed on deploy', ['deploy mediawiki', '']],
      [
        'with a required contained relation: the relation and the principal must be deployed before',
        ['deploy guard', 'guard missing relation: post (post)'],
        ['deploy guarded', 'guarded missing relation: guard (guard)'],
        ['integrate guard:post guarded', 'guard waiting for application: guarded (post)'],
        ['integrate guarded:guard guard', 'deployed: guard, guarded | together: guard, guarded'],
      ],
      [
        'logging: not until the principal and the logging-master are deployed and both are related',
        ['deploy logging', 'logging missing relations: logging-directory (logging), logging-master (syslog)'],
        ['deploy wordpress', needsDb],
        [
          'integrate logging wordpress',
          'logging missing relation: logging-master (syslog); waiting for application: wordpress (logging-directory)',
        ],
        ['deploy rsyslog', ''],
        ['integrate logging rsyslog', 'logging waiting for application: wordpress (logging-directory)'],
        ['deploy mysql', ''],
        ['integrate wordpress mysql', 'deployed: wordpress, logging'],
      ],
      [
        'logging, the other way round',
        ['deploy mysql', ''],
        ['deploy wordpress', needsDb],
        ['integrate wordpress mysql', 'deployed: wordpress'],
        ['deploy logging', 'logging missing relations: logging-directory (logging), logging-master (syslog)'],
        ['integrate logging wordpress', 'logging missing relation: logging-master (syslog)'],
        ['deploy rsyslog', ''],
        ['integrate logging rsyslog', 'deployed: logging'],
      ],
    ],
  ],
  [
    'satisfied',
    [
      [
        'is not who is related to one that waits itself; the chain is deployed in the order of its needs',
        ['deploy wordpress', needsDb],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['integrate wordpress cluster', 'wordpress waiting for application: cluster (db)'],
        ['deploy ceph', ''],
        ['integrate cluster ceph', 'deployed: cluster, wordpress'],
      ],
      [
        'is who has several, one of which is deployable',
        ['deploy wordpress', needsDb],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['integrate wordpress cluster', 'wordpress waiting for application: cluster (db)'],
        ['deploy mysql', ''],
        ['integrate wordpress mysql', 'deployed: wordpress'],
      ],
      [
        'names three of those that wait',
        ['deploy wordpress', needsDb],
        ...['d', 'b', 'c', 'a'].flatMap((name): [string, string][] => [
          [`deploy cluster ${name}`, `${name} missing relation: storage (ceph)`],
        ]),
        ['integrate wordpress d', 'wordpress waiting for application: d (db)'],
        ['integrate wordpress c', 'wordpress waiting for application: c or d (db)'],
        ['integrate wordpress b', 'wordpress waiting for application: b or c or d (db)'],
        ['integrate wordpress a', 'wordpress waiting for application: a or b or c (db)'],
      ],
      [
        'a circle of three, when it closes',
        ...['a', 'b', 'c'].map((name): [string, string] => [
          `deploy ring ${name}`,
          `${name} missing relation: next (ring)`,
        ]),
        ['integrate a:next b:prev', 'a waiting for application: b (next)'],
        ['integrate b:next c:prev', 'b waiting for application: c (next)'],
        ['integrate c:next a:prev', 'deployed: a, b, c | together: a, b, c'],
      ],
      [
        'two circles that share one, only when both are closed',
        ['deploy both', 'both missing relations: next (ring), other (ring)'],
        ['deploy ring a', 'a missing relation: next (ring)'],
        ['deploy ring b', 'b missing relation: next (ring)'],
        ['integrate a:next both:prev', 'a waiting for application: both (next)'],
        ['integrate b:next both:prev', 'b waiting for application: both (next)'],
        [
          'integrate both:next a:prev',
          'both missing relation: other (ring); waiting for application: a (next)',
        ],
        ['integrate both:other b:prev', 'deployed: a, b, both | together: a, b, both'],
      ],
      [
        'a circle that needs something outside waits for that, and what hangs on it too',
        ['deploy tied', 'tied missing relations: next (ring), outside (mysql)'],
        ['deploy ring a', 'a missing relation: next (ring)'],
        ['deploy ring hung', 'hung missing relation: next (ring)'],
        ['integrate hung:next a:prev', 'hung waiting for application: a (next)'],
        ['integrate a:next tied:prev', 'a waiting for application: tied (next)'],
        [
          'integrate tied:next a:prev',
          'tied missing relation: outside (mysql); waiting for application: a (next)',
        ],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['integrate tied:outside cluster', 'tied waiting for applications: a (next), cluster (outside)'],
        ['deploy ceph', ''],
        ['integrate cluster ceph', 'deployed: cluster, a, tied, hung | together: a, tied'],
      ],
    ],
  ],
  [
    'what goes away',
    [
      [
        'takes with it what required it, and all that required that, until it comes back',
        ['deploy wordpress', needsDb],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['deploy ceph', ''],
        ['deploy logging', 'logging missing relations: logging-directory (logging), logging-master (syslog)'],
        ['deploy rsyslog', ''],
        ['integrate logging rsyslog', 'logging missing relation: logging-directory (logging)'],
        ['integrate cluster ceph', 'deployed: cluster'],
        ['integrate wordpress cluster', 'deployed: wordpress'],
        ['integrate logging wordpress', 'deployed: logging'],
        [
          'remove-relation cluster ceph',
          'cluster missing relation: storage (ceph) | logging waiting for application: wordpress (logging-directory) | wordpress waiting for application: cluster (db)',
        ],
        ['integrate cluster ceph', 'deployed: cluster, wordpress, logging'],
        [
          'remove-application ceph',
          'cluster missing relation: storage (ceph) | logging waiting for application: wordpress (logging-directory) | wordpress waiting for application: cluster (db)',
        ],
        ['remove-application cluster', 'wordpress missing relation: db (mysql)'],
        ['remove-application wordpress', 'logging missing relation: logging-directory (logging)'],
      ],
      [
        'does not matter while another holds',
        ['deploy wordpress', needsDb],
        ['deploy mysql a', ''],
        ['deploy mysql b', ''],
        ['integrate wordpress a', 'deployed: wordpress'],
        ['integrate wordpress b', ''],
        ['remove-relation wordpress a', ''],
        ['remove-application b', needsDb],
      ],
      [
        'opens a circle: nobody of it is deployable',
        ['deploy ring a', 'a missing relation: next (ring)'],
        ['deploy ring b', 'b missing relation: next (ring)'],
        ['integrate a:next b:prev', 'a waiting for application: b (next)'],
        ['integrate b:next a:prev', 'deployed: a, b | together: a, b'],
        [
          'remove-relation a:next b:prev',
          'a missing relation: next (ring) | b waiting for application: a (next)',
        ],
      ],
    ],
  ],
])('%s:', (_, cases) => {
  test.each(cases.map(([name, ...steps]) => [name, steps] as const))('%s', (_, steps) => {
    const model = new ModelOfRequirements(charms);
    expect(steps.map(([command]) => [command, told(give(model, command))])).toEqual(steps);
  });
});

describe('a chain', () => {
  const link = { requires: { below: required('link') }, provides: { above: 'link' } };
  const end = { provides: { above: 'link' } };
  const apart = (length: number): ModelOfRequirements => {
    const model = new ModelOfRequirements({ link, end });
    model.deploy('end', 'a0');
    for (let i = 1; i < length; i++) model.deploy('link', `a${i}`);
    return model;
  };
  const ends = (i: number): [string, string] => [`a${i}:below`, `a${i - 1}:above`];
  const whole = (length: number): ModelOfRequirements => {
    const model = new ModelOfRequirements({ link, end });
    model.add('end', 'a0');
    for (let i = 1; i < length; i++) {
      model.add('link', `a${i}`);
      model.relate(...ends(i));
    }
    model.settle(model.applications.keys());
    return model;
  };
  const names = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `a${from + i}`);

  test('of 1,000 from its end: each with its relation', () => {
    const model = apart(1_000);
    const deployed = names(1, 1_000).map((_, i) => model.integrate(...ends(i + 1)).deployable);
    expect(deployed).toEqual(names(1, 1_000).map((name) => [name]));
  });

  test('of 1,000 from its top: all with the last relation, in order', () => {
    const model = apart(1_000);
    for (let i = 999; i > 1; i--) expect(model.integrate(...ends(i)).deployable).toEqual([]);
    expect(model.integrate(...ends(1)).deployable).toEqual(names(1, 1_000));
    expect(model.missing).toEqual({});
  });

  test('of 1,000 that is cut and mended, here and there', () => {
    const model = whole(1_000);
    for (let i = 1; i < 1_000; i += 29) {
      expect([...model.removeRelation(...ends(i)).changed.keys()].sort()).toEqual(names(i, 1_000).sort());
      expect(model.integrate(...ends(i)).deployable).toEqual(names(i, 1_000));
    }
  });

  test('of 100,000 (5,000 in a hurry) that is cut and mended at its end, and then made a circle', () => {
    const count = isThorough ? 100_000 : 5_000;
    const model = whole(count);
    expect(Object.keys(model.missing)).toEqual([]);
    expect(model.removeRelation(...ends(1)).changed.size).toBe(count - 1);
    expect(model.integrate(...ends(1)).deployable).toHaveLength(count - 1);
    model.removeApplication('a0');
    model.deploy('link', 'a0');
    model.integrate(...ends(1));
    const { deployable, circles } = model.integrate('a0:below', `a${count - 1}:above`);
    expect(deployable).toHaveLength(count);
    expect(circles.map((circle) => circle.length)).toEqual([count]);
  }, 120_000);

  test.each([
    ['a circle', ['a:next b:prev', 'b:next c:prev', 'c:next a:prev']],
    [
      'two circles that share one',
      ['a:next both:prev', 'b:next both:prev', 'both:next a:prev', 'both:other b:prev'],
    ],
    ['a circle on a chain', ['a:next tied:prev', 'tied:next a:prev', 'tied:outside cluster', 'cluster ceph']],
    ['a chain on a circle', ['a:next b:prev', 'b:next a:prev', 'c:next b:prev']],
  ])('%s, cut at every point and mended, is as before', (_, relations) => {
    const model = new ModelOfRequirements(charms);
    for (const name of ['a', 'b', 'c']) model.deploy('ring', name);
    for (const name of ['both', 'tied', 'cluster', 'ceph']) model.deploy(name);
    const pairs = relations.map((one) => one.split(' ') as [string, string]);
    for (const pair of pairs) model.integrate(...pair);
    const before = model.waits;
    for (const pair of pairs) {
      const waiting = Object.keys(model.waits).length;
      model.removeRelation(...pair);
      expect(Object.keys(model.waits).length).toBeGreaterThan(waiting);
      model.integrate(...pair);
      expect(model.waits).toEqual(before);
    }
  });
});
