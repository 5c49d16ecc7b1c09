import { describe, expect, test } from 'vitest';
import { ModelOfRequirements } from '../../testing/requirement-model.ts';
import { requiringCharms } from '../../testing/requiring-charms.ts';
import type { RequireMode } from './requirement.ts';
import { missingStatus } from './requirement.ts';
import type { Settled } from './settle.ts';

/** Commands, each with its expected outcome. */
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

/** The outcome: applications whose missing requirements changed; those deployed, in order; those deployed together. */
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
        'an endpoint that the charm declares required is waited for, an undeclared one is not',
        ['deploy wordpress', needsDb],
        ['deploy mediawiki', ''],
        ['deploy mysql', ''],
        ['integrate wordpress mysql', 'deployed: wordpress'],
      ],
      [
        'an endpoint named by deploy --require is required',
        ['deploy mediawiki --require db', 'mediawiki missing relation: db (mysql)'],
        ['deploy mysql', ''],
        ['integrate mediawiki mysql', 'deployed: mediawiki'],
      ],
      [
        'require-endpoints=all requires every endpoint; none requires only those named by --require',
        ['deploy wordpress', needsDb],
        ['require-endpoints all', 'wordpress missing relations: db (mysql), cache (memcache)'],
        ['require-endpoints none', 'deployed: wordpress'],
        ['deploy mediawiki --require db', 'mediawiki missing relation: db (mysql)'],
        ['require-endpoints declared', needsDb],
      ],
      [
        'a subordinate that requires no principal needs one all the same',
        ['deploy monitor', 'monitor missing relation: host (monitored) or juju-info (juju-info)'],
        ['require-endpoints none', ''],
        ['deploy mysql', ''],
        ['integrate monitor mysql', 'deployed: monitor'],
      ],
      [
        'a subordinate that requires only a global endpoint needs a principal too',
        ['deploy keeper', 'keeper missing relations: store (ceph), dir (logging) or juju-info (juju-info)'],
        ['deploy ceph', ''],
        ['integrate keeper ceph', 'keeper missing relation: dir (logging) or juju-info (juju-info)'],
        ['integrate keeper:juju-info ceph', 'deployed: keeper'],
      ],
      [
        'a subordinate related to a pending subordinate has no principal yet',
        ['deploy monitor', 'monitor missing relation: host (monitored) or juju-info (juju-info)'],
        ['deploy guard', 'guard missing relation: post (post)'],
        ['deploy guarded', 'guarded missing relation: guard (guard)'],
        ['integrate monitor guarded', 'monitor waiting for application: guarded (juju-info)'],
      ],
      [
        'a subordinate that requires another subordinate of its principal needs the principal too',
        ['deploy tapper', 'tapper missing relation: bus (bus)'],
        ['deploy bus', 'bus missing relation: host (juju-info)'],
        ['deploy mysql', ''],
        ['integrate tapper bus', 'tapper waiting for application: bus (bus)'],
        [
          'integrate bus:host mysql',
          'tapper missing relation: bus (bus) or host (juju-info) to a principal | deployed: bus',
        ],
        ['integrate tapper:host mysql', 'deployed: tapper'],
        ['remove-relation tapper:bus bus:tap', 'tapper missing relation: bus (bus)'],
        ['remove-relation tapper:host mysql:juju-info', ''],
        ['integrate tapper bus', 'tapper missing relation: bus (bus) or host (juju-info) to a principal'],
      ],
    ],
  ],
  [
    'rules of the specification',
    [
      [
        'an application with required relations is deployed when all of them are satisfied',
        ['deploy tied', 'tied missing relations: next (ring), outside (mysql)'],
        ['deploy mysql', ''],
        ['integrate tied mysql', 'tied missing relation: next (ring)'],
        ['deploy ring', 'ring missing relation: next (ring)'],
        ['integrate tied:next ring', 'tied waiting for application: ring (next)'],
        ['integrate ring:next tied', 'deployed: ring, tied | together: ring, tied'],
      ],
      ['an application with only optional relations is deployed at once', ['deploy mediawiki', '']],
      [
        'an application with a required container relation waits for the relation and the principal',
        ['deploy guard', 'guard missing relation: post (post)'],
        ['deploy guarded', 'guarded missing relation: guard (guard)'],
        ['integrate guard:post guarded', 'guard waiting for application: guarded (post)'],
        ['integrate guarded:guard guard', 'deployed: guard, guarded | together: guard, guarded'],
      ],
      [
        'logging waits until the principal and the logging-master are deployed and both are related',
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
        'logging is deployed with its last relation when the principal is deployed first',
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
    'satisfied requirements',
    [
      [
        'an application related to a pending one waits; the chain is deployed in the order of its needs',
        ['deploy wordpress', needsDb],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['integrate wordpress cluster', 'wordpress waiting for application: cluster (db)'],
        ['deploy ceph', ''],
        ['integrate cluster ceph', 'deployed: cluster, wordpress'],
      ],
      [
        'an application with several providers needs only one that is deployable',
        ['deploy wordpress', needsDb],
        ['deploy cluster', 'cluster missing relation: storage (ceph)'],
        ['integrate wordpress cluster', 'wordpress waiting for application: cluster (db)'],
        ['deploy mysql', ''],
        ['integrate wordpress mysql', 'deployed: wordpress'],
      ],
      [
        'a waiting application names three of the pending providers',
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
        'a circle of three is deployed when it closes',
        ...['a', 'b', 'c'].map((name): [string, string] => [
          `deploy ring ${name}`,
          `${name} missing relation: next (ring)`,
        ]),
        ['integrate a:next b:prev', 'a waiting for application: b (next)'],
        ['integrate b:next c:prev', 'b waiting for application: c (next)'],
        ['integrate c:next a:prev', 'deployed: a, b, c | together: a, b, c'],
      ],
      [
        'two circles that share an application are deployed when both are closed',
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
        'a circle that needs an outside application waits for it, and so do its dependents',
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
    'lost providers',
    [
      [
        'a lost provider makes its direct and indirect dependents pending until it comes back',
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
        'a lost provider does not matter while another one remains',
        ['deploy wordpress', needsDb],
        ['deploy mysql a', ''],
        ['deploy mysql b', ''],
        ['integrate wordpress a', 'deployed: wordpress'],
        ['integrate wordpress b', ''],
        ['remove-relation wordpress a', ''],
        ['remove-application b', needsDb],
      ],
      [
        'a removed relation opens a circle, and none of its members is deployable',
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
])('settling: %s', (_, cases) => {
  test.each(cases.map(([name, ...steps]) => [name, steps] as const))('%s', (_, steps) => {
    const model = new ModelOfRequirements(requiringCharms);
    expect(steps.map(([command]) => [command, told(give(model, command))])).toEqual(steps);
  });
});
