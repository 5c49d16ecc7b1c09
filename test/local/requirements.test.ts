/**
 * Applications on real machines that are deployed only when their requirements are met (required-endpoints.md#cases).
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let models = 0;

beforeAll(async () => {
  world = await startWorld('requirements');
});
// Each test has a model, because names of units and machines are never reused in one.
beforeEach(async () => {
  const model = `work-${++models}`;
  await world.addModel(model);
  await world.grigri('switch', model);
});
afterEach(() => world.grigri('destroy-model', `work-${models}`, '--no-prompt', '--timeout', '140s'));
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
});

const examples = join(root, 'examples');

/** Returns the messages of a command, without its result. */
async function tells(...args: string[]): Promise<string> {
  const { code, stderr } = await world.attempt(...args);
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
  return stderr;
}

interface Pending {
  readonly applications: readonly {
    readonly application: string;
    readonly missing: readonly {
      readonly endpoint: string;
      readonly interface: string;
      readonly applications: readonly string[];
    }[];
    readonly units: number;
    readonly running: number;
  }[];
}

/** Returns the missing requirements of each application: `db`, or `db: mysql` when mysql waits itself. */
async function waiting(): Promise<Record<string, string[]>> {
  const { applications } = JSON.parse(await world.grigri('pending', '--format', 'json')) as Pending;
  return Object.fromEntries(
    applications.map(({ application, missing }) => [
      application,
      missing.map(({ endpoint, applications: others }) => [endpoint, ...others].join(': ')),
    ]),
  );
}

async function machines(): Promise<number> {
  return Object.keys((await world.status()).machines).length;
}

async function untilActive(...units: string[]): Promise<void> {
  for (const unit of units) await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
}

test('a logging subordinate is deployed when its principal, the logging master and both relations exist', async () => {
  const unitsOfLogging = async (): Promise<string[]> => Object.keys(await subordinatesOf('wordpress/0'));
  expect(await tells('deploy', join(examples, 'logging'))).toMatch(
    /logging waits for relations: logging-directory \(logging\), logging-master \(syslog\)/,
  );
  await tells('deploy', join(examples, 'mysql'));
  await untilActive('mysql/0');
  expect(await tells('deploy', join(examples, 'wordpress'))).toMatch(
    /wordpress waits for relations: db \(mysql\)/,
  );
  expect(await tells('integrate', 'logging', 'wordpress')).toMatch(/logging waits for/);
  expect(await waiting()).toEqual({
    logging: ['logging-directory: wordpress', 'logging-master'],
    wordpress: ['db'],
  });
  expect(await world.unit('wordpress/0')).toMatchObject({
    workload: 'blocked',
    message: 'missing relation: db (mysql)',
    machine: '',
  });
  expect(await machines()).toBe(1);

  // The principal is deployed, the logging master is not.
  expect(await tells('integrate', 'wordpress', 'mysql')).toMatch(/wordpress: requirements met, now deployed/);
  await untilActive('wordpress/0');
  expect(await waiting()).toEqual({ logging: ['logging-master'] });
  await world.until(
    'the subordinate to be there, and to wait',
    async () => (await unitsOfLogging()).length === 1,
  );
  const [logging = ''] = await unitsOfLogging();
  expect(await subordinate('wordpress/0', logging)).toMatchObject({
    workload: 'blocked',
    message: 'missing relation: logging-master (syslog)',
  });

  // The logging master is deployed, not related.
  await tells('deploy', join(examples, 'rsyslog'));
  await untilActive('rsyslog/0');
  expect(await waiting()).toEqual({ logging: ['logging-master'] });
  expect((await subordinate('wordpress/0', logging)).workload).toBe('blocked');

  expect(await tells('integrate', 'logging', 'rsyslog')).toMatch(/logging: requirements met, now deployed/);
  await world.until('the subordinate to ship', async () => {
    const { workload, agent } = await subordinate('wordpress/0', logging);
    return workload === 'active' && agent === 'idle';
  });
  expect(await waiting()).toEqual({});
  expect(await machines()).toBe(3);
  expect(await world.grigri('ssh', logging, 'cat /var/lib/juju/agents/*/charm/var/wanted')).toContain(
    '/var/lib/juju/agents/unit-wordpress-0/charm/var/log',
  );

  // Running units stay when a requirement is lost.
  expect(await tells('remove-relation', 'logging', 'rsyslog')).toMatch(
    /new units of logging wait for relations: logging-master/,
  );
  await world.until(
    'it to notice',
    async () => (await subordinate('wordpress/0', logging)).workload === 'waiting',
  );
  await world.grigri('exec', '--unit', logging, '--', 'true');
});

test('running units stay when a requirement is removed, and new ones wait until it is back', async () => {
  for (const name of ['mysql', 'wordpress']) await tells('deploy', join(examples, name));
  await tells('integrate', 'wordpress', 'mysql');
  await untilActive('mysql/0', 'wordpress/0');

  expect(await tells('remove-relation', 'wordpress', 'mysql')).toMatch(
    /new units of wordpress wait for relations: db \(mysql\)/,
  );
  await world.untilUnit('wordpress/0', {
    workload: 'blocked',
    message: 'needs a relation: db',
    agent: 'idle',
  });
  expect(await tells('add-unit', 'wordpress', '-n', '2')).toMatch(/wordpress wait/);
  expect(await waiting()).toEqual({ wordpress: ['db'] });
  for (const unit of ['wordpress/1', 'wordpress/2'])
    expect(await world.unit(unit)).toMatchObject({
      machine: '',
      workload: 'blocked',
      message: 'missing relation: db (mysql)',
    });
  expect(await machines()).toBe(2);
  // Units that never had a machine are removed at once, without an agent.
  await tells('remove-unit', 'wordpress/1', '--no-prompt');
  await world.until('the unit to go', async () => (await unitsOf('wordpress')).length === 2);

  expect(await tells('integrate', 'wordpress', 'mysql')).toMatch(/wordpress: requirements met, now deployed/);
  await untilActive('wordpress/0', 'wordpress/2');
  expect(await machines()).toBe(3);
});

test('a pending application, and one that another application waits for, can be removed', async () => {
  await tells('deploy', join(examples, 'wordpress'), '-n', '3');
  await tells('deploy', join(examples, 'logging'));
  await tells('integrate', 'logging', 'wordpress');
  expect(await waiting()).toEqual({
    logging: ['logging-directory: wordpress', 'logging-master'],
    wordpress: ['db'],
  });
  expect(await tells('remove-application', 'wordpress', '--no-prompt')).toMatch(
    /logging waits for relations/,
  );
  await world.until('it to be gone', async () => {
    const { applications } = await world.status();
    return Object.keys(applications).join() === 'logging';
  });
  expect(await waiting()).toEqual({ logging: ['logging-directory', 'logging-master'] });
  await tells('remove-application', 'logging', '--no-prompt');
  await world.until(
    'the other to be gone',
    async () => Object.keys((await world.status()).applications).length === 0,
  );
  expect(await machines()).toBe(0);
});

test('two applications that require each other are deployed together', async () => {
  const twin = (name: string, own: string, other: string): string =>
    world.charm(name, {
      metadata: `provides:\n  ${own}: {interface: ${own}}\nrequires:\n  ${other}: {interface: ${other}, optional: false}\n`,
      hooks: { start: 'status-set active' },
    });
  await tells('deploy', twin('hen', 'egg', 'chick'));
  await tells('deploy', twin('cock', 'chick', 'egg'), '-n', '2');
  await tells('integrate', 'hen:egg', 'cock:egg');
  expect(await waiting()).toEqual({ cock: ['egg: hen'], hen: ['chick'] });
  expect(await machines()).toBe(0);
  expect(await tells('integrate', 'hen:chick', 'cock:chick')).toMatch(
    /cock and hen require each other: deployed together/,
  );
  await untilActive('hen/0', 'cock/0', 'cock/1');
  expect(await waiting()).toEqual({});
});

describe('kill -9 during deployment', () => {
  /** Paths of light charms: all units are on one machine. */
  const charms = (): [string, string] => [
    world.charm('taker', {
      metadata: 'requires:\n  from: {interface: gift, optional: false}\n',
      hooks: { start: 'status-set active' },
    }),
    world.charm('giver', {
      metadata: 'provides:\n  gift: {interface: gift}\n',
      hooks: { start: 'status-set active' },
    }),
  ];

  test('a controller that is killed while it answers integrate places all units when it is back', async () => {
    const [taker, giver] = charms();
    await tells('deploy', giver);
    await untilActive('giver/0');
    const takers = [0, 1, 2, 3].map((n) => `taker${n}`);
    for (const name of takers) await tells('deploy', taker, name, '-n', '3', '--to', '0,0,0');
    for (const [n, name] of takers.entries()) {
      const answered = world.attempt('integrate', name, 'giver');
      // The last answer has arrived before the kill.
      if (n < 3) await sleep(100 + 60 * n);
      else await answered;
      world.killController();
      await answered;
      await world.attempt('integrate', name, 'giver');
    }
    await untilActive(...takers.flatMap((name) => [0, 1, 2].map((n) => `${name}/${n}`)));
    expect(await machines()).toBe(1);
    for (const name of takers) expect(await unitsOf(name)).toHaveLength(3);
    expect(await waiting()).toEqual({});
  });

  test('an agent that is killed while it gets new units deploys them when it is back', async () => {
    const [taker, giver] = charms();
    await tells('deploy', giver);
    await untilActive('giver/0');
    const { machine } = await world.unit('giver/0');
    const units = 6;
    await tells('deploy', taker, '-n', String(units), '--to', Array(units).fill(machine).join());
    await tells('integrate', 'taker', 'giver');
    for (let n = 0; n < 5; n++) {
      await sleep(150);
      const pid = world.agentPid(machine);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    await untilActive(...Array.from({ length: units }, (_, n) => `taker/${n}`));
    expect(await machines()).toBe(1);
  });
});

test('two subordinates of one principal, related in container scope, meet on their own principal only', async () => {
  const principal = world.charm('host', { hooks: { start: 'status-set active' } });
  const info = 'info: {interface: juju-info, scope: container}';
  const met = 'relation-set -r "$JUJU_RELATION_ID" seen="$(relation-list | xargs)"';
  const teller = world.charm('teller', {
    metadata: `subordinate: true\nprovides:\n  talk: {interface: talk, scope: container}\nrequires:\n  ${info}\n`,
    hooks: {
      start: 'status-set active',
      'talk-relation-joined': `relation-set of="$JUJU_PRINCIPAL_UNIT"\n${met}`,
    },
  });
  const hearer = world.charm('hearer', {
    metadata: `subordinate: true\nrequires:\n  ${info}\n  talk: {interface: talk, scope: container, optional: false}\n`,
    hooks: {
      start: 'status-set active "hears nobody"',
      'talk-relation-changed': [
        'of=$(relation-get of)',
        '[ -n "$of" ] || exit 0',
        'echo "$JUJU_REMOTE_UNIT $of" >>met',
        'status-set active "$JUJU_PRINCIPAL_UNIT hears $(sort -u met | cut -d" " -f2 | xargs)"',
      ].join('\n'),
    },
  });
  await tells('deploy', principal, '-n', '2');
  await tells('deploy', hearer);
  await tells('integrate', 'hearer:info', 'host');
  await untilActive('host/0', 'host/1');
  expect(await waiting()).toEqual({ hearer: ['talk'] });
  await tells('deploy', teller);
  expect(await tells('integrate', 'hearer:talk', 'teller:talk')).toMatch(
    /hearer waits for applications: teller \(talk\)/,
  );
  expect(await waiting()).toEqual({ hearer: ['talk: teller'], teller: ['juju-info'] });
  await tells('integrate', 'teller', 'host');
  for (const host of ['host/0', 'host/1'])
    await world.until(`${host}'s subordinates to meet`, async () => {
      const beside = Object.values(await subordinatesOf(host));
      return beside.length === 2 && beside.some((unit) => unit.message === `${host} hears ${host}`);
    });
});

interface Beside {
  readonly workload: string;
  readonly message: string;
  readonly agent: string;
}

async function subordinatesOf(principal: string): Promise<Record<string, Beside>> {
  const { applications } = (await world.status()) as unknown as Shown;
  const { subordinates = {} } = applications[principal.split('/')[0]!]!.units![principal]!;
  return Object.fromEntries(
    Object.entries(subordinates).map(([name, unit]) => [
      name,
      {
        workload: unit['workload-status'].current,
        message: unit['workload-status'].message ?? '',
        agent: unit['juju-status'].current,
      },
    ]),
  );
}

interface Shown {
  readonly applications: Readonly<
    Record<
      string,
      {
        readonly units?: Readonly<
          Record<string, { readonly subordinates?: Readonly<Record<string, ShownUnit>> }>
        >;
      }
    >
  >;
}
interface ShownUnit {
  readonly 'workload-status': { readonly current: string; readonly message?: string };
  readonly 'juju-status': { readonly current: string };
}

async function subordinate(principal: string, name: string): Promise<Beside> {
  const found = (await subordinatesOf(principal))[name];
  if (!found) throw new Error(`${principal} has no subordinate ${name}`);
  return found;
}

async function unitsOf(application: string): Promise<string[]> {
  return Object.keys((await world.status()).applications[application]?.units ?? {});
}
