import { describe, expect, test } from 'vitest';
import { parseCharm } from '../charm/parse-charm.ts';
import { checkDeploy, type DeployRequest } from './check-deploy.ts';

const noble = { name: 'ubuntu', channel: '24.04/stable' };
const web = parseCharm({
  'metadata.yaml': { name: 'web', summary: '', description: '', requires: { db: { interface: 'mysql' } } },
  'config.yaml': { options: { port: { type: 'int' }, title: { type: 'string' } } },
  'manifest.yaml': { bases: [{ name: 'ubuntu', channel: '24.04', architectures: ['amd64'] }] },
});
const log = parseCharm({
  'metadata.yaml': {
    name: 'log',
    summary: '',
    description: '',
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  },
});
const k8s = parseCharm({
  'metadata.yaml': { name: 'k8s', summary: '', description: '', containers: { main: {} } },
});
const greedy = {
  ...parseCharm({ 'metadata.yaml': { name: 'greedy', summary: '', description: '' } }),
  lxdProfile: { config: { 'limits.cpu': '4' }, description: '', devices: {} },
};
const spaces = { has: (name: string) => name === 'alpha', fallback: 'alpha' };
const request: DeployRequest = {
  name: 'site',
  numUnits: 1,
  constraints: {},
  placement: [],
  config: {},
  trust: false,
  endpointBindings: {},
};

describe('a deploy request', () => {
  test('returns the values that the application is stored with', () => {
    const asked = {
      config: { port: '80', title: 'A' },
      require: ['db', 'db'],
      after: { cache: '' },
      base: noble,
    };
    expect(checkDeploy({ ...request, ...asked }, web)).toEqual({
      config: { port: 80, title: 'A' },
      endpointBindings: { '': 'alpha' },
      require: ['db'],
      after: { cache: 'active' },
    });
  });

  test.each([
    ['a bad name', { name: 'Site' }, web, 'not valid', 'invalid application name "Site"'],
    ['an option of another type', { config: { port: 'x' } }, web, 'not valid', 'option "port" expected int'],
    ['an option that the charm lacks', { config: { nope: '' } }, web, 'not valid', 'unknown option "nope"'],
    ['an endpoint to bind', { endpointBindings: { nope: 'alpha' } }, web, 'not valid', 'unknown endpoint'],
    ['a space', { endpointBindings: { '': 'dmz' } }, web, 'not found', 'space "dmz" not found'],
    ['an endpoint to require', { require: ['nope'] }, web, 'not valid', 'no requires endpoint "nope"'],
    ['a gate', { after: { cache: 'status==' } }, web, 'not valid', 'in the health of cache'],
    ['a base', { base: { name: 'ubuntu', channel: '22.04/stable' } }, web, 'not valid', 'not supported by'],
    ['an image without a base', { constraints: { 'image-id': 'i' } }, web, 'not valid', 'base must be'],
    ['units of a subordinate', {}, log, '', 'without units'],
    [
      'a place of a subordinate',
      { numUnits: 0, placement: [{ scope: '#', directive: '0' }] },
      log,
      '',
      'units',
    ],
    [
      'constraints of a subordinate',
      { numUnits: 0, constraints: { cores: 1 } },
      log,
      '',
      'without constraints',
    ],
    ['a charm of Kubernetes', {}, k8s, 'not supported', 'which need Kubernetes'],
    ['a profile that is not allowed', {}, greedy, 'not valid', 'limits.cpu'],
  ] as const)('is refused for %s', (_, asked, charm, code, message) => {
    expect(() => checkDeploy({ ...request, ...asked }, charm, spaces)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error,
    );
  });

  test('may, with force, have a base that the charm lacks, and an LXD profile that is not allowed', () => {
    const jammy = { name: 'ubuntu', channel: '22.04/stable' };
    expect(() => checkDeploy({ ...request, base: jammy, force: true }, web)).not.toThrow();
    expect(() => checkDeploy({ ...request, force: true }, greedy)).not.toThrow();
  });
});
