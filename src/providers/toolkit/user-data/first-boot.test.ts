import { expect, test } from 'vitest';
import { mergedModelConfig, type ModelConfig } from '../../../core/model/config.ts';
import type { FirstBoot } from '../../contract/provider.ts';
import { firstBootOf, parseCloudinitUserdata } from './first-boot.ts';

const none = { http: '', https: '', ftp: '', no: '' };
const localOnly = '127.0.0.1,localhost,::1';

test.each<[ModelConfig, Partial<FirstBoot>]>([
  [
    {},
    {
      authorizedKeys: [],
      proxies: none,
      aptProxies: none,
      aptMirror: '',
      refresh: true,
      upgrade: true,
      custom: {},
    },
  ],
  [
    { 'authorized-keys': 'ssh-rsa A me\n\n# old\n ssh-ed25519 B \n' },
    { authorizedKeys: ['ssh-rsa A me', 'ssh-ed25519 B'] },
  ],
  [
    { 'enable-os-upgrade': false, 'enable-os-refresh-update': false },
    { refresh: false, upgrade: false },
  ],
  [{ 'apt-mirror': 'http://mirror/debian' }, { aptMirror: 'http://mirror/debian', aptProxies: none }],
  [
    { 'http-proxy': 'http://p:1', 'no-proxy': 'a,b' },
    {
      proxies: { ...none, http: 'http://p:1', no: 'a,b' },
      aptProxies: { ...none, http: 'http://p:1', no: 'a,b' },
    },
  ],
  [
    { 'juju-http-proxy': 'http://j:1', 'juju-https-proxy': 'http://j:2' },
    { proxies: none, aptProxies: { ...none, http: 'http://j:1', https: 'http://j:2', no: localOnly } },
  ],
  [
    { 'apt-http-proxy': 'a:1', 'http-proxy': 'http://p:1', 'https-proxy': 'http://p:2' },
    {
      proxies: { ...none, http: 'http://p:1', https: 'http://p:2', no: localOnly },
      aptProxies: { ...none, http: 'http://a:1', https: 'http://p:2', no: localOnly },
    },
  ],
  [
    { 'apt-no-proxy': 'here', 'http-proxy': 'http://p:1' },
    { aptProxies: { ...none, http: 'http://p:1', no: 'here' } },
  ],
  [{ 'no-proxy': 'only,this' }, { proxies: none, aptProxies: none }],
  [
    { 'cloudinit-userdata': 'packages: [htop]\npackage_upgrade: no\n' },
    { custom: { packages: ['htop'], package_upgrade: false } },
  ],
])('Model configuration %j determines the first boot', (config, boot) => {
  expect(firstBootOf(mergedModelConfig(config))).toMatchObject(boot);
});

test.each([
  ['packages: [', /^cloudinit-userdata is not YAML: /],
  ['users: [me]', /^cloudinit-userdata: users is not allowed/],
  ['just text', /expected a map/],
])('cloudinit-userdata %j is refused', (text, message) => {
  expect(() => parseCloudinitUserdata(text)).toThrow(message);
});
