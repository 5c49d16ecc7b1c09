import { machineAnnotation } from './step.ts';
import fc from '../../testing/fast-check.ts';
import { describe, expect, test } from 'vitest';
import { apply, emptyModel, plan } from '../../testing/bundle/model.ts';
import { mysql, wordpress } from '../../testing/bundle/charms.ts';
import { blog, charms, done, lines } from '../../testing/bundle/plan-lines.ts';

describe('planBundle', () => {
  test('the plan has charms, applications and relations before units', () => {
    expect(lines(plan(blog, emptyModel, charms))).toEqual([
      'upload charm ./mysql',
      'upload charm ./wordpress',
      'deploy application mysql on ubuntu@24.04 using ./mysql',
      'set annotations for mysql',
      'deploy application wordpress on ubuntu@24.04 using ./wordpress',
      'expose all endpoints of wordpress and allow access from CIDRs 0.0.0.0/0 and ::/0',
      'add relation wordpress:db - mysql:db',
      'add unit mysql/0 to new machine',
      'add unit wordpress/0 to new machine',
      'add unit wordpress/1 to new machine',
    ]);
  });

  test('a charm used by several applications is uploaded once, and a charm that the model has is not uploaded', () => {
    const two = { applications: { a: { charm: './mysql' }, b: { charm: './mysql' } } };
    expect(lines(plan(two, emptyModel, charms)).filter((line) => line.startsWith('upload'))).toHaveLength(1);
    expect(lines(plan(two, emptyModel, { ...charms, mysql: { ...mysql, url: 'local:mysql-3' } }))).toEqual([
      'deploy application a on ubuntu@24.04 using local:mysql-3',
      'deploy application b on ubuntu@24.04 using local:mysql-3',
    ]);
  });

  test('the plan says which applications will be pending, and which requirements they wait for', () => {
    const { waits, steps } = plan({ ...blog, relations: [] }, emptyModel, charms);
    expect([...waits]).toEqual([['wordpress', [{ endpoint: 'db', interface: 'mysql', applications: [] }]]]);
    expect(steps.filter((step) => step.kind === 'add-unit' && step.waits)).toHaveLength(2);
  });

  test('applications that require each other are deployable when both relations exist', () => {
    const both = (relations: string[][]): string[] => [
      ...plan(
        { applications: { ping: { charm: './ping' }, pong: { charm: './pong' } }, relations },
        emptyModel,
        charms,
      ).waits.keys(),
    ];
    const there = ['ping:from', 'pong:to'];
    const back = ['pong:from', 'ping:to'];
    expect(both([there, back])).toEqual([]);
    expect(both([there])).toEqual(['ping', 'pong']);
  });

  test('an application of the model may satisfy a requirement of the bundle', () => {
    const before = done({ applications: { mysql: blog.applications.mysql } });
    expect(plan(blog, before, charms).waits.size).toBe(0);
  });

  test('the plan has no steps for parts that the model has, and changes parts that differ', () => {
    const model = done(blog);
    expect(plan(blog, model, charms)).toMatchObject({ steps: [], differences: [], waits: new Map() });
    const more = {
      ...blog,
      applications: {
        wordpress: { charm: './wordpress', num_units: 3, options: { port: 82 }, trust: true },
        mysql: { charm: './mysql', num_units: 0, constraints: 'mem=4G', annotations: { x: '2' } },
      },
    };
    const changed = plan(more, model, charms);
    expect(lines(changed)).toEqual([
      'set constraints for mysql to "mem=4096M"',
      'set annotations for mysql',
      'set application options for wordpress: port, trust',
      'add unit wordpress/2 to new machine',
    ]);
    expect(changed.differences.map(({ text }) => text)).toEqual([
      'mysql keeps its units: 1, the bundle has 0; remove the others with remove-unit',
    ]);
    expect(plan(more, apply(model, changed.steps, charms), charms).steps).toEqual([]);
  });

  test('an application gets the charm of the bundle before its options, unless the charm breaks a relation', () => {
    const model = done(blog);
    const better = { ...wordpress, replaces: 'local:wordpress-0' };
    const bundle = {
      ...blog,
      applications: {
        ...blog.applications,
        wordpress: { ...blog.applications.wordpress, options: { port: 82 } },
      },
    };
    expect(lines(plan(bundle, model, { ...charms, wordpress: better }))).toEqual([
      'upload charm ./wordpress',
      'upgrade wordpress to charm ./wordpress',
      'set application options for wordpress: port',
    ]);
    const known = { ...better, url: 'local:wordpress-4' };
    expect(lines(plan(blog, model, { ...charms, wordpress: known }))).toEqual([
      'upgrade wordpress to charm local:wordpress-4',
    ]);
    const without = { ...known, meta: { ...wordpress.meta, endpoints: {} } };
    expect(() => plan({ ...blog, relations: [] }, model, { ...charms, wordpress: without })).toThrow(
      'cannot upgrade application "wordpress" to charm "local:wordpress-4": would break relation "wordpress:db mysql:db"',
    );
  });

  test('the plan warns of differences that cannot be changed', () => {
    const model = done(blog);
    const other = {
      ...blog,
      applications: {
        ...blog.applications,
        wordpress: { ...blog.applications.wordpress, base: 'ubuntu@22.04', require: ['cache'] },
        // The model's bindings omit those to the default space.
        mysql: { ...blog.applications.mysql, bindings: { '': 'alpha', db: 'alpha' } },
      },
    };
    const { differences, steps } = plan(other, model, {
      ...charms,
      wordpress: { ...wordpress, differs: true },
    });
    expect(steps).toEqual([]);
    expect(differences.map(({ text }) => text)).toEqual([
      'wordpress keeps its charm ./wordpress: that of the bundle has another name, or the model does not have it',
      'wordpress keeps its base ubuntu@24.04: the base of a deployed application cannot be changed',
      'wordpress does not require cache: requirements can be set only at deployment',
    ]);
  });

  test.each([
    [{ mysql: { charm: './mysql', options: { port: 'x' } } }, 'option "port" expected int, got "x"'],
    [{ mysql: { charm: './mysql', options: { nothing: 1 } } }, 'unknown option "nothing"'],
    [
      { mysql: { charm: './mysql', base: 'ubuntu@22.04' } },
      'base "ubuntu@22.04" is not supported by the charm',
    ],
    [{ mysql: { charm: './mysql', require: ['nothing'] } }, 'has no requires endpoint'],
    [{ logging: { charm: './logging', num_units: 1 } }, 'a subordinate has no units of its own'],
    [{ logging: { charm: './logging', constraints: 'mem=1G' } }, 'a subordinate has no constraints'],
  ])('the applications %j are refused: %s', (applications, message) => {
    expect(() => plan({ applications }, emptyModel, charms)).toThrow(message);
  });

  test('an application that is being removed is not deployed again yet', () => {
    expect(() => plan(blog, { ...emptyModel, dying: ['mysql'] }, charms)).toThrow('is being removed');
  });

  test('a relation that is being removed is not added again yet', () => {
    const model = apply(emptyModel, plan(blog, emptyModel, charms).steps, charms);
    const relations = model.relations.map(({ endpoints }) => ({ endpoints, dying: true as const }));
    expect(() => plan(blog, { ...model, relations }, charms)).toThrow(
      /^relation "wordpress:db mysql:db" is being removed: deploy the bundle after its removal$/,
    );
  });

  test('an application may have the name of an object member', () => {
    const bundle = {
      applications: { constructor: { charm: './web', num_units: 2, to: [0] } },
      machines: { '0': {} },
    };
    const planned = plan(bundle, emptyModel, charms);
    expect(lines(planned)).toHaveLength(5);
    expect(plan(bundle, apply(emptyModel, planned.steps, charms), charms).steps).toEqual([]);
  });

  test('a bundle with relations that cannot be made is refused', () => {
    const bundle = (ends: string[]): object => ({ ...blog, relations: [ends] });
    expect(() => plan(bundle(['wordpress:db', 'mysql:nothing']), emptyModel, charms)).toThrow(
      'application "mysql" has no "nothing" relation',
    );
  });
});

const label = (text: string): Record<string, string> => ({ [machineAnnotation]: text });

describe('placements in a plan', () => {
  const machines = { '0': {}, '1': { constraints: 'mem=8G' } };
  const unitsOn = (to: unknown, num_units = 1): object => ({
    applications: {
      web: { charm: './web', num_units, to },
      mysql: { charm: './mysql', num_units: 2, to: [0, 1] },
    },
    machines,
  });
  const added = (bundle: object): string[] =>
    lines(plan(bundle, emptyModel, charms)).filter((line) => line.startsWith('add '));
  const rest = [
    'add new machine (bundle machine 0)',
    'add new machine (bundle machine 1)',
    'add unit mysql/0 to new machine 0',
    'add unit mysql/1 to new machine 1',
  ];

  test.each([
    [[0], 1, ['add unit web/0 to new machine 0']],
    [['lxd:1'], 1, ['add unit web/0 to lxd on new machine 1']],
    [['lxd'], 1, ['add unit web/0 to lxd on new machine']],
    [['new'], 1, ['add unit web/0 to new machine']],
    [['zone=z1'], 1, ['add unit web/0 to zone=z1']],
    [['mysql/1'], 1, ['add unit web/0 to the machine of mysql/1']],
    [['lxd:mysql/1'], 1, ['add unit web/0 to lxd on the machine of mysql/1']],
    [
      ['mysql'],
      3,
      ['mysql/0', 'mysql/1', 'mysql/0'].map((on, i) => `add unit web/${i} to the machine of ${on}`),
    ],
    [[1, 0], 3, [1, 0, 0].map((on, i) => `add unit web/${i} to new machine ${on}`)],
  ])('the placement %j is planned', (to, units, expected) => {
    expect(added(unitsOn(to, units))).toEqual([...rest, ...expected]);
  });

  test('a unit comes after the unit whose machine it shares, whatever their names', () => {
    const bundle = {
      applications: {
        web: { charm: './web', num_units: 1, to: ['new'] },
        mysql: { charm: './mysql', num_units: 1, to: ['web/0'] },
      },
    };
    expect(added(bundle)).toEqual([
      'add unit web/0 to new machine',
      'add unit mysql/0 to the machine of web/0',
    ]);
  });

  test("a machine is made for a pending application's unit if others are placed on it", () => {
    const bundle = {
      applications: {
        wordpress: { charm: './wordpress', num_units: 2, to: ['lxd', 'new'], constraints: 'mem=1G' },
        mysql: { charm: './mysql', num_units: 1, to: ['wordpress/0'] },
      },
    };
    expect(added(bundle)).toEqual([
      'add lxd container on new machine (for wordpress/0)',
      'add unit wordpress/0 to new machine for wordpress/0 (waits for something)',
      'add unit mysql/0 to new machine for wordpress/0',
      'add unit wordpress/1 to new machine (waits for something)',
    ]);
  });

  test.each([
    ['no such unit', { web: ['mysql/7'] }, 'application "mysql" has 1 unit'],
    ['a circle', { web: ['mysql/0'], mysql: ['web/0'] }, 'are placed in a circle'],
  ])('a placement is refused: %s', (_, to: Record<string, string[]>, message) => {
    const applications = Object.fromEntries(
      ['web', 'mysql'].map((name) => [name, { charm: `./${name}`, num_units: 1, to: to[name] ?? [] }]),
    );
    expect(() => plan({ applications }, emptyModel, charms)).toThrow(message);
  });

  test('a chain of placements may be as long as the bundle', () => {
    const names = Array.from({ length: 2000 }, (_, i) => `a${i}`);
    const applications = Object.fromEntries(
      names.map((name, i) => [name, { charm: './web', num_units: 1, to: names[i + 1] ?? 'new' }]),
    );
    const units = plan({ applications }, emptyModel, charms).steps.filter(({ kind }) => kind === 'add-unit');
    expect(units).toHaveLength(2000);
    expect(units[0]).toMatchObject({ unit: { application: 'a1999' }, at: { on: { kind: 'new' } } });
  });

  test('a machine of another base is refused before any step is planned', () => {
    const bundle = {
      applications: { mysql: { charm: './mysql', num_units: 1, to: [0] } },
      machines: { '0': { base: 'ubuntu@22.04' } },
    };
    expect(() => plan(bundle, emptyModel, charms)).toThrow(
      'base does not match: machine 0 has ubuntu@22.04, application "mysql" ubuntu@24.04',
    );
  });

  test('a machine of the bundle cannot be a container', () => {
    const bundle = {
      applications: { web: { charm: './web', num_units: 1, to: [0] } },
      machines: { '0': { constraints: 'container=lxd' } },
    };
    expect(() => plan(bundle, emptyModel, charms)).toThrow('place units on lxd:0');
  });

  test.each(['0', 'lxd:0'])(
    'the machine of a unit that waits is the same when another application leaves the bundle: %s',
    (place) => {
      const wordpress = { charm: './wordpress', num_units: 1, to: [place] };
      const web = { charm: './web', num_units: 1, to: ['0'] };
      const of = (applications: object): object => ({ applications, machines: { '0': {} } });
      const model = done(of({ web, wordpress }));
      expect(model.units['wordpress']).toEqual([{ name: 'wordpress/0' }]);
      expect(lines(plan(of({ wordpress }), model, charms))).toEqual([]);
    },
  );

  test.each<[string, Record<string, string>, string]>([
    ['made for it, if its units have found a place of their own', {}, '0'],
    ['its units are on, if that was made for it with other applications', label('0 (blog, web)'), '1'],
  ])('the machine of a bundle is the one %s', (_, annotations, machine) => {
    const bundle = {
      applications: { web: { charm: './web', num_units: 1, to: ['0'] } },
      machines: { '0': {} },
    };
    const made = done(bundle);
    const model = {
      ...made,
      machines: { ...made.machines, '1': { ...made.machines['0']!, annotations } },
      units: { web: [{ name: 'web/0', machine: '1' }] },
    };
    const { machines, steps } = plan(bundle, model, charms);
    expect([machines.get('0'), steps]).toEqual([machine, []]);
  });

  test('machines of the model are mapped as the user says', () => {
    const model = done(unitsOn([0]));
    const other = {
      applications: { other: { charm: './web', num_units: 2, to: [0, 1] } },
      machines: { '0': {}, '1': {} },
    };
    const where = (map: string): string[] =>
      lines(plan(other, model, charms, map)).filter((line) => line.startsWith('add unit'));
    expect(where('')).toEqual(['add unit other/0 to new machine 0', 'add unit other/1 to new machine 1']);
    expect(where('existing')).toEqual(['add unit other/0 to machine 0', 'add unit other/1 to machine 1']);
    expect(where('existing,0=1')).toEqual(['add unit other/0 to machine 1', 'add unit other/1 to machine 1']);
    expect(where('1=0')).toEqual(['add unit other/0 to new machine 0', 'add unit other/1 to machine 0']);
    expect(() => where('0=9')).toThrow('machine "9" not found');
    expect(() => where('7=0')).toThrow('machine of the file "7" not found');
    expect(() => where('0:1')).toThrow('expected "existing"');
  });
});

describe('plans of arbitrary bundles', () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const placement = fc.oneof(
    fc.constantFrom('new', 'lxd', '0', '1', 'lxd:0', 'zone=z1'),
    fc.record({ on: fc.constantFrom(...names), lxd: fc.boolean() }),
  );
  const bundles = fc
    .record({
      applications: fc.array(
        fc.record({
          charm: fc.constantFrom('mysql', 'wordpress', 'web'),
          units: fc.nat(3),
          to: fc.array(placement, { maxLength: 3 }),
        }),
        { minLength: 1, maxLength: names.length },
      ),
      related: fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 4 }),
    })
    .map(({ applications, related }) => {
      const all = applications.map((one, i) => ({ ...one, name: names[i] ?? 'a' }));
      return {
        applications: Object.fromEntries(
          all.map(({ name, charm, units, to }) => [
            name,
            {
              charm: `./${charm}`,
              num_units: units,
              // Placements only refer to earlier applications, so there are no circles.
              to: to.flatMap((one) => {
                if (typeof one === 'string') return [one];
                const target = all.find(
                  (other) => other.name === one.on && other.name < name && other.units > 0,
                );
                return target ? [`${one.lxd ? 'lxd:' : ''}${target.name}`] : [];
              }),
            },
          ]),
        ),
        machines: { '0': {}, '1': {} },
        relations: related.flatMap(([i, j]) => {
          const [from, to] = [all[i], all[j]];
          return from?.charm === 'wordpress' && to?.charm === 'mysql' ? [[from.name, `${to.name}:db`]] : [];
        }),
      };
    });

  /** The same bundle with its entries in another order. */
  function reversed<T extends { applications: object; relations: unknown[] }>(bundle: T): T {
    return {
      ...bundle,
      applications: Object.fromEntries(Object.entries(bundle.applications).reverse()),
      relations: [...bundle.relations].reverse(),
    };
  }

  test('the order of a bundle makes no difference, and a second plan is empty', () => {
    fc.assert(
      fc.property(bundles, (bundle) => {
        const planned = plan(bundle, emptyModel, charms);
        expect(plan(reversed(bundle), emptyModel, charms)).toEqual(planned);
        const model = apply(emptyModel, planned.steps, charms);
        expect(plan(bundle, model, charms).steps).toEqual([]);
      }),
    );
  });

  test('a client that is killed at any step and starts again ends with the same model', () => {
    fc.assert(
      fc.property(bundles, fc.nat(40), fc.nat(40), (bundle, first, second) => {
        const whole = done(bundle);
        let model = emptyModel;
        for (const steps of [first, second, Infinity]) {
          const planned = plan(bundle, model, charms);
          model = apply(model, planned.steps.slice(0, steps), charms);
        }
        expect(model).toEqual(whole);
      }),
    );
  });
});
