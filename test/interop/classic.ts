/** Bash charm with the habits of classic charms: its hooks check what they find; this script checks their results. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { applications, grigri, relationOf, settled, showUnit, until } from './grigri.ts';

const [controller = ''] = process.argv.slice(2);
const model = `${controller}:classic`;

grigri('add-model', '-c', controller, 'classic', '--no-switch');
grigri('deploy', '-m', model, join(import.meta.dirname, 'classic-charm'), '-n', '2');
await settled(model, 'classic', 2, 'active', 'ready to serve');
assert.equal(applications(model)['classic']?.version, '1.2');
assert.deepEqual(
  showUnit(model, 'classic/0')['opened-ports'].toSorted(),
  ['6379/tcp', '9000-9010/udp', 'icmp'].toSorted(),
);
await until(model, 'each peer has met the other', () => {
  const { data } = relationOf(model, 'classic/0', 'cluster')['local-unit'];
  return data['early'] === 'yes' && data['met-classic-1'] === 'yes';
});
console.log('two peers, ports, version');

const ran = JSON.parse(
  grigri('run', '-m', model, 'classic/leader', 'backup', 'to.host=h', '--format', 'json'),
) as Record<string, { status: string; log: string[]; results: Record<string, unknown> }>;
const [backup] = Object.values(ran);
assert.equal(backup?.status, 'completed');
assert.match(backup.log.join(), /level 1$/);
assert.deepEqual(backup.results['file'], { name: 'h.tar', size: '7' });
assert.match(String(backup.results['stdout']), /^backup on classic\/\d\n$/);
assert.match(grigri('run', '-m', model, 'classic/0', 'refuse'), /^Action id \d+ failed: not today$/m);
grigri('run', '-m', model, 'classic/0', 'linger', '--background');
const lingering = Object.keys(
  JSON.parse(grigri('operations', '-m', model, '--actions', 'linger', '--format', 'json')) as object,
)[0]!;
const task = String(Number(lingering) + 1);
const show = (): { status: string; log?: string[]; results?: Record<string, unknown> } =>
  JSON.parse(grigri('show-task', '-m', model, task, '--format', 'json')) as ReturnType<typeof show>;
await until(model, 'the action lingers', () => show().log !== undefined);
grigri('cancel-task', '-m', model, task);
await until(model, 'the action has ended', () => show().status === 'aborted');
assert.equal(show().results?.['tidied'], 'yes');
console.log('actions run, failed and cancelled');

grigri('config', '-m', model, 'classic', 'port=7000');
await settled(model, 'classic', 2, 'active');
grigri('remove-application', '-m', model, 'classic', '--no-prompt');
await until(model, 'classic is gone', () => Object.keys(applications(model)).length === 0);
grigri('destroy-model', model, '--no-prompt');
console.log('removed');
