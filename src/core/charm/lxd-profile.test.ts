import { expect, test } from 'vitest';
import { checkLxdProfile, parseLxdProfile } from './lxd-profile.ts';

const nested = {
  description: 'for containers',
  config: { 'security.nesting': 'true', 'linux.kernel_modules': 'openvswitch,nbd' },
  devices: { kvm: { path: '/dev/kvm', type: 'unix-char' } },
};

test.each([
  ['as written', nested, nested],
  [
    'booleans and numbers are text for LXD',
    { config: { 'security.nesting': true, 'user.x': 7 } },
    { description: '', config: { 'security.nesting': 'true', 'user.x': '7' }, devices: {} },
  ],
  ['the profile’s name and users are ignored', { ...nested, name: 'x', used_by: [] }, nested],
  ['nothing', undefined, undefined],
  ['an empty file is no profile', null, undefined],
  ['only words', { description: 'x', config: {}, devices: null }, undefined],
])('a profile is parsed: %s', (_, raw, profile) => {
  expect(parseLxdProfile(raw)).toEqual(profile);
});

test.each([
  [[], 'expected a map'],
  [{ config: ['x'] }, 'config: expected a map'],
  [{ devices: { eth0: 'nic' } }, 'devices.eth0: expected a map'],
  [{ config: { a: {} } }, 'config.a: expected string'],
])('the content %j of lxd-profile.yaml is no profile', (raw, message) => {
  expect(() => parseLxdProfile(raw)).toThrow(expect.objectContaining({ code: 'not valid' }));
  expect(() => parseLxdProfile(raw)).toThrow(message);
});

const profile = (config: Record<string, string>, type?: string) => ({
  description: '',
  config,
  devices: { d: type === undefined ? {} : { type } },
});

test.each([
  [
    profile({ 'boot.autostart': 'true' }, 'gpu'),
    'invalid lxd-profile.yaml: contains config value "boot.autostart"',
  ],
  [
    profile({ 'limits.memory': '1GiB' }, 'gpu'),
    'invalid lxd-profile.yaml: contains config value "limits.memory"',
  ],
  [profile({ 'migration.stateful': '1' }, 'gpu'), 'contains config value "migration.stateful"'],
  [profile({}, 'disk'), 'invalid lxd-profile.yaml: contains device type "disk"'],
  [profile({}, 'nic'), 'contains device type "nic"'],
  [profile({}), 'contains device type ""'],
])('the profile %j is refused', (refused, message) => {
  expect(() => checkLxdProfile(refused)).toThrow(message);
});

test.each(['unix-char', 'unix-block', 'gpu', 'usb'])(
  'a profile with a device of type %s is allowed',
  (type) => {
    expect(() => checkLxdProfile(profile({ 'security.privileged': 'true' }, type))).not.toThrow();
  },
);
