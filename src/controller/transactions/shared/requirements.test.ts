/**
 * Tests of which applications are deployed and which wait (required-endpoints.md#settling, required-endpoints.md#loss).
 */
import { describe, expect, test } from 'vitest';
import { relate } from '../../../testing/steps.ts';
import { deploy, waitingModel, type Metas, type Waiting } from '../../../testing/waiting.ts';
import { addRelation } from '../begin/add-relation.ts';
import { destroyApplication } from '../end/destroy-application.ts';
import { destroyRelation } from '../end/destroy-relation.ts';
import { defined } from '../../../core/defined.ts';

const required = (its: string): object => ({ interface: its, optional: false });
const metas = {
  mysql: { provides: { db: 'mysql' }, peers: { cluster: 'mysql-cluster' } },
  wordpress: { requires: { db: required('mysql'), cache: 'memcached' }, provides: { website: 'http' } },
  memcached: { provides: { cache: 'memcached' } },
  haproxy: { requires: { backend: required('http') } },
  logging: {
    subordinate: true,
    requires: {
      host: { interface: 'juju-info', scope: 'container', optional: false },
      'logging-master': required('syslog'),
    },
  },
  rsyslog: { provides: { syslog: 'syslog' } },
  ntp: { subordinate: true, requires: { host: { interface: 'juju-info', scope: 'container' } } },
  nrpe: {
    subordinate: true,
    requires: { host: { interface: 'juju-info', scope: 'container', optional: false } },
  },
  tail: { subordinate: true, requires: { files: { interface: 'logs', scope: 'container' } } },
  left: { provides: { l: 'left' }, requires: { r: required('right') } },
  right: { provides: { r: 'right' }, requires: { l: required('left') } },
} satisfies Metas;

const bench = (): Promise<Waiting> => waitingModel(metas);

describe('the cases of required-endpoints.md#cases', () => {
  test('A service with required relationships: Deployed when all required relations are satisfied.', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { require: ['cache'], numUnits: 2 });
    await b.deploy('mysql');
    await b.deploy('memcached');
    expect(b.waiting()).toEqual({
      wordpress: 'missing relations: db (mysql), cache (memcached)',
    });
    expect(b.units()).toEqual({
      'wordpress/0': 'waits',
      'wordpress/1': 'waits',
      'mysql/0': '0',
      'memcached/0': '1',
    });
    expect(b.model.view().count('machine')).toBe(2);

    await relate(b.model, 'wordpress:db', 'mysql');
    await b.settle();
    expect(b.waiting()).toEqual({ wordpress: 'missing relation: cache (memcached)' });
    expect(b.units()).toMatchObject({ 'wordpress/0': 'waits', 'wordpress/1': 'waits' });

    await relate(b.model, 'wordpress:cache', 'memcached');
    expect(b.waiting()).toEqual({});
    expect(b.model.view().get('unit', 'wordpress/0')?.machine).toBeUndefined();
    await b.settle();
    expect(b.units()).toMatchObject({ 'wordpress/0': '2', 'wordpress/1': '3' });
  });

  test('A service with only optional (global scoped) relationships: Deployed on the call to juju-deploy.', async () => {
    await using b = await bench();
    const { changed } = await b.deploy('mysql');
    expect(changed.size).toBe(0);
    expect(b.units()).toEqual({ 'mysql/0': '0' });
    expect(b.model.view().get('application', 'mysql')).not.toHaveProperty('pending');
  });

  test('A service with a required contained relation: Both the required relation and the principal side of the relation must be deployed before a subordinate is deployed.', async () => {
    await using b = await bench();
    await b.deploy('nrpe');
    await b.deploy('wordpress');
    expect(b.waiting()['nrpe']).toBe('missing relation: host (juju-info)');
    await relate(b.model, 'nrpe:host', 'wordpress');
    await b.settle();
    expect(b.waiting()['nrpe'], 'the principal waits').toBe('waiting for application: wordpress (host)');
    expect(b.units()).toEqual({ 'wordpress/0': 'waits' });

    await b.deploy('mysql');
    await relate(b.model, 'wordpress:db', 'mysql');
    expect(b.waiting()).toEqual({});
    await b.settle();
    expect(b.units()).toEqual({ 'wordpress/0': '1', 'mysql/0': '0', 'nrpe/0': '1' });
  });

  test('A service with an optional contained relation: always fallback to the implicit juju-info relation and can be treated as always required', async () => {
    await using b = await bench();
    await b.deploy('mysql');
    for (const mode of ['none', 'declared'] as const) {
      await b.setMode(mode);
      await b.deploy('ntp', { name: `ntp-${mode}` });
      expect(b.waiting()[`ntp-${mode}`]).toBe('missing relation: host (juju-info)');
      const { settled } = await b.model.change((tx) =>
        addRelation(tx, { endpoints: [`ntp-${mode}`, 'mysql'] }),
      );
      expect(settled.deployable).toEqual([`ntp-${mode}`]);
    }
    await b.settle();
    expect(b.units()).toEqual({ 'mysql/0': '0', 'ntp-declared/0': '0', 'ntp-none/0': '0' });
  });

  test('we might want to qualify contained relations by saying they will always fallback to the implicit juju-info relation', async () => {
    await using b = await bench();
    await b.deploy('tail');
    await b.deploy('mysql');
    await b.setMode('all');
    expect(b.waiting(), 'required, it has no other').toEqual({ tail: 'missing relation: files (logs)' });
    await b.setMode('declared');
    expect(b.waiting()).toEqual({ tail: 'missing relation: files (logs) or juju-info (juju-info)' });
    const { relation, settled } = await b.model.change((tx) =>
      addRelation(tx, { endpoints: ['tail', 'mysql'] }),
    );
    expect(relation.key).toBe('tail:juju-info mysql:juju-info');
    expect(settled.deployable).toEqual(['tail']);
    await b.settle();
    expect(b.units()).toEqual({ 'mysql/0': '0', 'tail/0': '0' });
  });

  describe('a logging subordinate service (with a required contained relation) might also have a required relationship to a master logging service outside of the container', () => {
    const steps = {
      principal: (b: Waiting) => b.deploy('mysql'),
      'logging-master': (b: Waiting) => b.deploy('rsyslog'),
      'the relation with the principal': (b: Waiting) => relate(b.model, 'logging:host', 'mysql'),
      'the relation with the logging-master': (b: Waiting) =>
        relate(b.model, 'logging:logging-master', 'rsyslog'),
    };
    type Name = keyof typeof steps;
    const orders: Name[][] = permutations(Object.keys(steps) as Name[]).filter(
      (order) =>
        order.indexOf('principal') < order.indexOf('the relation with the principal') &&
        order.indexOf('logging-master') < order.indexOf('the relation with the logging-master'),
    );

    test.each(orders.map((order) => ({ order, text: order.join(', ') })))(
      'the subordinate service will not be deployed until the principal has been deployed, the logging-master has been deployed and both required relationships are: $text',
      async ({ order }) => {
        await using b = await bench();
        await b.deploy('logging');
        for (const name of order) {
          await b.settle();
          expect(b.waiting(), `before ${name}`).toHaveProperty('logging');
          const units = [...b.model.view().find('unit', 'application', 'logging')];
          expect(
            units.filter(({ machine }) => machine !== undefined),
            `before ${name}`,
          ).toEqual([]);
          await steps[name](b);
        }
        await b.settle();
        expect(b.waiting()).toEqual({});
        const machine = b.units()['mysql/0'];
        expect(b.units()['logging/0']).toBe(machine);
        expect(b.model.view().count('machine')).toBe(2);
      },
    );

    test('each unit of the principal has a waiting subordinate, created when the principal entered the relation', async () => {
      await using b = await bench();
      await b.deploy('logging');
      await b.deploy('mysql', { numUnits: 2 });
      await relate(b.model, 'logging:host', 'mysql');
      await b.settle();
      expect(b.units()).toMatchObject({ 'logging/0': 'waits', 'logging/1': 'waits' });
      expect(b.waiting()).toEqual({ logging: 'missing relation: logging-master (syslog)' });
    });
  });
});

describe('a requirement is satisfied by an alive relation whose other application is itself deployable', () => {
  test('chains of requirements resolve in dependency order', async () => {
    await using b = await bench();
    for (const charm of ['haproxy', 'wordpress', 'mysql']) await b.deploy(charm);
    await relate(b.model, 'haproxy', 'wordpress');
    expect(b.waiting()).toEqual({
      haproxy: 'waiting for application: wordpress (backend)',
      wordpress: 'missing relation: db (mysql)',
    });
    const { settled } = await b.model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
    expect(settled.deployable).toEqual(['wordpress', 'haproxy']);
    expect(settled.circles).toEqual([]);
    expect(b.waiting()).toEqual({});
  });

  test('a chain of 1,000 applications is deployed at its last relation, and none before', async () => {
    const links = Array.from({ length: 1000 }, (_, n) => `c${n}x`);
    await using b = await waitingModel({
      link: { provides: { up: 'link' }, requires: { down: 'link' } },
    });
    const { store, uuid } = b.model;
    await store.change((root) => {
      const tx = root.in(uuid);
      for (const [n, name] of links.entries())
        deploy(tx, 'link', { name, ...defined({ require: n === 0 ? undefined : ['down'] }) });
      for (let n = links.length - 1; n > 1; n--)
        addRelation(tx, { endpoints: [`${links[n]}:down`, `${links[n - 1]}:up`] });
    }, 'test');
    await b.settle();
    expect(Object.keys(b.waiting())).toHaveLength(999);
    expect(Object.values(b.units()).filter((unit) => unit === 'waits')).toHaveLength(999);
    const { settled } = await b.model.change((tx) => addRelation(tx, { endpoints: ['c1x:down', 'c0x:up'] }));
    expect(settled.deployable).toEqual(links.slice(1));
    await b.settle();
    expect(Object.values(b.units())).not.toContain('waits');
    expect(b.model.view().count('machine')).toBe(1000);
  });

  test('circular requirements are recognised, deployed together and reported as circular', async () => {
    await using b = await bench();
    await b.deploy('left');
    await b.deploy('right');
    await relate(b.model, 'left:l', 'right:l');
    expect(b.waiting()).toEqual({
      left: 'missing relation: r (right)',
      right: 'waiting for application: left (l)',
    });
    const { settled } = await b.model.change((tx) => addRelation(tx, { endpoints: ['left:r', 'right:r'] }));
    expect([...settled.deployable].sort()).toEqual(['left', 'right']);
    expect(settled.circles).toEqual([['left', 'right']]);
    await b.settle();
    expect(Object.values(b.units()).sort()).toEqual(['0', '1']);
  });

  test('a circle that lacks something outside waits as a whole and fails as a whole', async () => {
    await using b = await bench();
    await b.deploy('mysql');
    await b.deploy('left', { require: [] });
    await b.deploy('right');
    await b.deploy('wordpress');
    await relate(b.model, 'left:l', 'right:l');
    await relate(b.model, 'left:r', 'right:r');
    await b.settle();
    const { settled } = await b.model.change((tx) =>
      destroyRelation(tx, { endpoints: ['left:r', 'right:r'] }),
    );
    expect([...settled.changed.keys()].sort()).toEqual(['left', 'right']);
    expect(b.waiting()).toEqual({
      left: 'missing relation: r (right)',
      right: 'waiting for application: left (l)',
      wordpress: 'missing relation: db (mysql)',
    });
  });

  test('one of several relations satisfies a requirement; a peer relation does not', async () => {
    await using b = await bench();
    await b.deploy('wordpress');
    await b.deploy('mysql');
    await b.deploy('mysql', { name: 'other' });
    await relate(b.model, 'wordpress', 'mysql');
    await relate(b.model, 'wordpress', 'other');
    await b.model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
    expect(b.waiting()).toEqual({});
    await b.model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'other'] }));
    expect(b.waiting()).toEqual({ wordpress: 'missing relation: db (mysql)' });
  });
});

describe('the set of required endpoints', () => {
  test('`deploy --require` adds to what the charm states, for this application', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { require: ['cache', 'cache'] });
    expect(b.model.view().get('application', 'wordpress')?.require).toEqual(['cache']);
    await b.deploy('wordpress', { name: 'blog' });
    expect(b.waiting()).toEqual({
      wordpress: 'missing relations: db (mysql), cache (memcached)',
      blog: 'missing relation: db (mysql)',
    });
  });

  test.each(['website', 'juju-info', 'nothing', 'cluster'])('`--require %s` is refused', async (endpoint) => {
    await using b = await bench();
    await expect(b.deploy('wordpress', { require: ['db', endpoint] })).rejects.toMatchObject({
      code: 'not valid',
      message: `charm "wordpress" has no requires endpoint "${endpoint}": it has db, cache`,
    });
    expect(b.model.view().count('application')).toBe(0);
  });

  test('the model setting settles all applications of the model in the same change', async () => {
    await using b = await bench();
    for (const charm of ['wordpress', 'haproxy', 'mysql', 'ntp']) await b.deploy(charm);
    await relate(b.model, 'haproxy', 'wordpress');
    const before = b.waiting();
    const none = await b.setMode('none');
    expect(none.deployable).toEqual(expect.arrayContaining(['wordpress', 'haproxy']));
    expect(b.waiting()).toEqual({ ntp: 'missing relation: host (juju-info)' });
    const all = await b.setMode('all');
    expect([...all.changed.keys()].sort()).toEqual(['haproxy', 'ntp', 'wordpress']);
    expect(b.waiting()).toEqual({
      haproxy: 'waiting for application: wordpress (backend)',
      wordpress: 'missing relations: db (mysql), cache (memcached)',
      ntp: 'missing relation: host (juju-info)',
    });
    await b.setMode('declared');
    expect(b.waiting()).toEqual(before);
    const same = await b.setMode('declared');
    expect(same.changed.size).toBe(0);
  });

  test('a pending application keeps the time at which it began to wait, whatever it waits for', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { require: ['cache'] });
    const since = b.model.view().get('application', 'wordpress')?.pending?.since;
    b.model.advance(60_000);
    await b.deploy('mysql');
    await relate(b.model, 'wordpress', 'mysql');
    expect(b.model.view().get('application', 'wordpress')?.pending).toEqual({
      since,
      missing: [{ endpoint: 'cache', interface: 'memcached', applications: [] }],
    });
  });
});

describe('requirements that go away under running units', () => {
  const running = async (): Promise<Waiting> => {
    const b = await bench();
    for (const charm of ['haproxy', 'wordpress', 'mysql', 'ntp']) await b.deploy(charm);
    for (const ends of [
      ['haproxy', 'wordpress'],
      ['wordpress', 'mysql'],
      ['ntp', 'wordpress'],
    ])
      await relate(b.model, ...ends);
    await b.settle();
    return b;
  };
  const away = {
    'remove-relation': (b: Waiting) =>
      b.model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] })),
    'remove-relation --force': (b: Waiting) =>
      b.model.change((tx) =>
        destroyRelation(tx, { endpoints: ['wordpress', 'mysql'], force: { maxWaitMs: 0, by: 'test' } }),
      ),
    'remove-application': (b: Waiting) =>
      b.model.change((tx) => destroyApplication(tx, { application: 'mysql' })),
    'remove-application --force': (b: Waiting) =>
      b.model.change((tx) =>
        destroyApplication(tx, { application: 'mysql', force: { maxWaitMs: 0, by: 'test' } }),
      ),
  };

  test.each(Object.keys(away) as (keyof typeof away)[])(
    '%s: nothing is torn down, new units wait',
    async (how) => {
      await using b = await running();
      const before = b.units();
      const { settled } = await away[how](b);
      expect([...settled.changed.keys()].sort()).toEqual(['haproxy', 'ntp', 'wordpress']);
      expect(settled.deployable).toEqual([]);
      await b.settle();
      const { 'mysql/0': _, ...unchangedUnits } = before;
      expect(b.units()).toMatchObject(unchangedUnits);
      for (const name of Object.keys(unchangedUnits))
        expect(b.model.view().get('unit', name), name).toMatchObject({ life: 'alive', deployed: true });

      await b.addUnits('wordpress');
      await b.addUnits('haproxy');
      await b.settle();
      expect(b.units()).toMatchObject({ 'wordpress/1': 'waits', 'haproxy/1': 'waits' });

      await b.deploy('mysql', { name: 'mysql2' });
      await relate(b.model, 'wordpress', 'mysql2');
      await b.settle();
      expect(b.waiting()).toEqual({});
      expect(Object.values(b.units())).not.toContain('waits');
      expect(b.units()['ntp/1'], 'beside the new unit').toBe(b.units()['wordpress/1']);
      expect(b.units()).toMatchObject(unchangedUnits);
    },
  );

  test('a dying application waits for nothing', async () => {
    await using b = await bench();
    await b.deploy('wordpress', { numUnits: 0 });
    await b.deploy('wordpress', { name: 'blog', numUnits: 3 });
    const { settled } = await b.model.change((tx) => destroyApplication(tx, { application: 'blog' }));
    expect(settled.changed.size).toBe(0);
    expect(b.model.view().get('application', 'blog')).toMatchObject({ life: 'dying' });
    expect(b.waiting()).toEqual({ wordpress: 'missing relation: db (mysql)' });
  });

  test('a repeated removal of a dying application settles nothing again', async () => {
    await using b = await running();
    await b.model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
    const { settled } = await b.model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
    expect(settled).toEqual({ changed: new Map(), deployable: [], circles: [] });
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]),
  );
}
