import { expect, test } from 'vitest';
import { parseAgentConf, renderAgentConf, type AgentConf } from './agent-conf.ts';

const conf: AgentConf = {
  tag: 'machine-0-lxd-1',
  controller: 'c-uuid',
  model: 'm-uuid',
  apiAddresses: ['10.0.0.1:17070', '[fd00::1]:17070'],
  caCert: '-----BEGIN CERTIFICATE-----\nMIIB\nAAA=\n-----END CERTIFICATE-----\n',
  apiPassword: 'yes: #"no\'',
  nonce: 'machine-0:abc',
  upgradedToVersion: '3.6.28',
  providerType: 'lxd',
};

test('a rendered agent.conf parses to the same values', () => {
  const text = renderAgentConf(conf);
  expect(text).toMatch(/^# format 2\.0\ntag: machine-0-lxd-1\n/);
  expect(text).toContain('controller: controller-c-uuid\nmodel: model-m-uuid\n');
  expect(text).toContain('values:\n  PROVIDER_TYPE: "lxd"\n');
  expect(parseAgentConf(text)).toEqual(conf);
  const changing = { ...conf, oldPassword: 'the first' };
  expect(parseAgentConf(renderAgentConf(changing))).toEqual(changing);
});

test('an agent.conf without a provider type is that of a local machine', () => {
  const old = renderAgentConf(conf).replace(/^values:\n.*\n/m, '');
  expect(parseAgentConf(old).providerType).toBe('local');
});

test.each([
  { text: 'tag: machine-0\n', message: /does not begin with/ },
  { text: '# format 2.0\n: : :\n  - [', message: /not valid YAML/ },
  { text: '# format 2.0\ntag: unit-a-0\n', message: /tag.*apipassword/ },
])('a wrong file is refused: $message', ({ text, message }) => {
  expect(() => parseAgentConf(text)).toThrow(message);
});
