import { expect, test } from 'vitest';
import { checkCloudinitUserdata } from './cloudinit-userdata.ts';

test.each<[unknown]>([
  [{}],
  [{ packages: ['htop', ['nginx', '1.2']], package_upgrade: false, package_update: true }],
  [{ preruncmd: ['echo a', ['touch', '/x', 1]], postruncmd: [] }],
  [{ 'ca-certs': { trusted: ['PEM'] }, apt: { primary: [] }, write_files: [{ path: '/x' }], ntp: true }],
])('cloudinit-userdata %j is accepted unchanged', (given) => {
  expect(checkCloudinitUserdata(given)).toEqual(given);
});

test('cloudinit-userdata without keys is read as empty', () => {
  expect(checkCloudinitUserdata(null)).toEqual({});
});

test.each<[unknown, string]>([
  ['text', "cloudinit-userdata: expected a map of cloud-init's keys"],
  [['a'], "cloudinit-userdata: expected a map of cloud-init's keys"],
  [
    { users: [] },
    'cloudinit-userdata: users is not allowed: machines have the user ubuntu; create others with postruncmd',
  ],
  [{ runcmd: [] }, 'cloudinit-userdata: runcmd is not allowed: use preruncmd or postruncmd'],
  [{ bootcmd: null }, 'cloudinit-userdata: bootcmd is not allowed: use preruncmd or postruncmd'],
  [{ packages: 'htop' }, 'cloudinit-userdata: packages: expected a list of names, or of [name, version]'],
  [{ packages: [1] }, 'cloudinit-userdata: packages: expected a list of names, or of [name, version]'],
  [{ preruncmd: 'ls' }, 'cloudinit-userdata: preruncmd: expected a list of commands'],
  [{ postruncmd: [{}] }, 'cloudinit-userdata: postruncmd: expected a list of commands'],
  [{ package_upgrade: 'maybe' }, 'cloudinit-userdata: package_upgrade: expected true or false'],
  [{ write_files: ['x'] }, 'cloudinit-userdata: write_files: expected a list of files'],
])('cloudinit-userdata %j is refused', (given, message) => {
  expect(() => checkCloudinitUserdata(given)).toThrow(
    expect.objectContaining({ code: 'not valid', message }),
  );
});
