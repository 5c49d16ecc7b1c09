/** Charm written with ops, packed as charmcraft does: two units, a leader, a related database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { applications, grigri, relationOf, settled, showUnit, until } from './grigri.ts';
import { packCharm } from './pack-charm.ts';

const [controller = '', version = '', libraries = ''] = process.argv.slice(2);
const name = `ops-${version.replaceAll('.', '-')}`;
const model = `${controller}:${name}`;
const here = import.meta.dirname;
const units = ['probe/0', 'probe/1'];

grigri('add-model', '-c', controller, name, '--no-switch');
grigri('deploy', '-m', model, packCharm(join(here, 'ops-charm'), libraries, `${libraries}-charm`), '-n', '2');
grigri('deploy', '-m', model, join(here, 'classic-charm'), '--config', 'port=6379');
await settled(model, 'classic', 1, 'active');
await settled(model, 'probe', 2, 'blocked', 'missing relation: db (kv)');
for (const unit of units) assert.equal(applications(model)['probe']!.units![unit]!.machine, undefined);
console.log('it waits for the database that it requires');

// Requirements are turned off: the charm is written for Juju, where it would start without them.
grigri('model-config', '-m', model, 'require-endpoints=none');
await settled(model, 'probe', 2, 'blocked', 'needs db');
for (const unit of units) {
  const events = eventsOf(unit);
  const expected = unit === leader() ? ['install', 'leader_elected'] : ['install'];
  assert.deepEqual(
    events.filter((event) => !event.startsWith('ring_') && event !== 'leader_elected').slice(0, 3),
    ['install', 'config_changed', 'start'],
  );
  assert.deepEqual(events.slice(0, expected.length), expected);
}
console.log('two units deployed, waiting for a database');

for (const unit of units)
  await until(
    model,
    `${unit} has removed the obsolete revision of its secret`,
    () => ownBag(unit)['removed'] === '1',
  );
console.log('secrets: added, changed, refreshed, an obsolete revision removed');

// Deferred events are emitted again with the next hook, which is run by exec here.
for (const unit of units) {
  grigri('exec', '-m', model, '--unit', unit, '--', 'JUJU_DISPATCH_PATH=hooks/update-status ./dispatch');
  assert(eventsOf(unit).includes('update_status'));
  assert.deepEqual(showUnit(model, unit)['opened-ports'].toSorted(), ['53/udp', '8080/tcp', 'icmp']);
}
assert.equal(applications(model)['probe']?.version, version);
console.log('a deferred event ran, ports are open, the version is set');

grigri('integrate', '-m', model, 'probe:db', 'classic:db');
await settled(model, 'probe', 2, 'active', 'hello from classic-0');
await settled(model, 'classic', 1, 'active');
await until(model, 'classic knows both', () =>
  ['knows-probe-0', 'knows-probe-1'].every(
    (key) => relationOf(model, 'classic/0', 'db')['local-unit'].data[key] === 'yes',
  ),
);
const atDatabase = relationOf(model, 'classic/0', 'db');
assert.deepEqual(atDatabase['application-data'], { database: name });
for (const unit of units) {
  const { data, 'in-scope': inScope } = atDatabase['related-units']![unit]!;
  assert(inScope);
  assert.equal(data['user'], unit.replace('/', '-'));
  assert.equal(data['text'], 'two\nlines: yes');
  assert.equal(data['temporary'], undefined);
  const seen = relationOf(model, unit, 'db')['related-units']!['classic/0']!.data;
  assert.equal(seen['port'], '6379');
  assert.equal(seen['lines'], 'one\ntwo');
  assert.equal(seen['from-stdin'], 'yes');
  const peers = relationOf(model, unit, 'ring');
  assert.deepEqual(peers['application-data'], { leader: leader() });
  assert.equal(
    peers['local-unit'].data['address'],
    applications(model)['probe']!.units![unit]!['public-address'],
  );
  for (const event of [
    'db_relation_created',
    'db_relation_joined',
    'db_relation_changed',
    'ring_relation_joined',
  ])
    assert(eventsOf(unit).includes(event), `${unit} has not seen ${event}: ${eventsOf(unit).join(' ')}`);
}
assert.equal(applications(model)['probe']!['application-status'].message, '2 planned');
console.log('related: settings of units and applications, both ways');

grigri(
  'config',
  '-m',
  model,
  'probe',
  'greeting=servus',
  'workers=7',
  'ratio=0.25',
  'debug=true',
  'domain=example.org',
);
await settled(model, 'probe', 2, 'active', 'servus from classic-0');
for (const unit of units)
  assert.deepEqual(JSON.parse(relationOf(model, unit, 'ring')['local-unit'].data['config']!), {
    debug: true,
    domain: 'example.org',
    greeting: 'servus',
    ratio: 0.25,
    workers: 7,
  });
console.log('configuration changed');

grigri('remove-relation', '-m', model, 'probe:db', 'classic:db');
await settled(model, 'probe', 2, 'blocked', 'needs db');
for (const unit of units) {
  assert.deepEqual(
    eventsOf(unit)
      .filter((event) => event.startsWith('db_'))
      .slice(-2),
    ['db_relation_departed', 'db_relation_broken'],
  );
  const departed = JSON.parse(relationOf(model, unit, 'ring')['local-unit'].data['departed']!) as Record<
    string,
    string
  >;
  assert.equal(departed['name'], 'classic-0');
}
await settled(model, 'classic', 1, 'active');
console.log('relation removed; what departed could still be read');

const [gone, kept] =
  leader() === 'probe/0' ? (['probe/0', 'probe/1'] as const) : (['probe/1', 'probe/0'] as const);
grigri('remove-unit', '-m', model, gone, '--no-prompt');
await settled(model, 'probe', 1, 'blocked');
await until(model, `${kept} saw ${gone} depart`, () => eventsOf(kept).includes('ring_relation_departed'));

// Units that are placed after the relation was made have it from their first hook on.
grigri('model-config', '-m', model, '--reset', 'require-endpoints');
grigri('add-unit', '-m', model, 'probe');
await until(model, 'a unit that waits', () => {
  const unit = applications(model)['probe']!.units!['probe/2']!;
  return unit['workload-status'].message === 'missing relation: db (kv)' && unit.machine === undefined;
});
grigri('integrate', '-m', model, 'probe:db', 'classic:db');
await settled(model, 'probe', 2, 'active', 'servus from classic-0');
const late = eventsOf('probe/2').filter((event) => !event.startsWith('ring_'));
assert.deepEqual(late.slice(0, 4), ['install', 'db_relation_created', 'config_changed', 'start']);
console.log('a new unit waited for the relation');

grigri('remove-application', '-m', model, 'probe', 'classic', '--no-prompt');
await until(model, 'both applications are gone', () => Object.keys(applications(model)).length === 0);
grigri('destroy-model', model, '--no-prompt');
console.log('removed');

function eventsOf(unit: string): string[] {
  return (ownBag(unit)['events'] ?? '').split(',');
}

function ownBag(unit: string): Readonly<Record<string, string>> {
  return relationOf(model, unit, 'ring')['local-unit'].data;
}

function leader(): string {
  return Object.entries(applications(model)['probe']!.units!).find(([, unit]) => unit.leader)![0];
}
