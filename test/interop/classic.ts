/**
 * A bash charm with the habits of classic ones: its hooks check what they find; this script checks what they leave.
 */
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

grigri('config', '-m', model, 'classic', 'port=7000');
await settled(model, 'classic', 2, 'active');
grigri('remove-application', '-m', model, 'classic', '--no-prompt');
await until(model, 'classic is gone', () => Object.keys(applications(model)).length === 0);
grigri('destroy-model', model, '--no-prompt');
console.log('removed');
