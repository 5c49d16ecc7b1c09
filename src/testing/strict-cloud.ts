/** Cloud that requires a password, and a client that knows it, for the tests of commands about clouds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { ProviderError, type OpenParams, type Provider } from '../providers/contract/provider.ts';
import { testCli, type CliRun, type TestCli } from './cli.ts';

export const secret = 'hunter2-never-to-be-seen';
export let cli: TestCli;
/** Passwords that the cloud refuses. */
export let refused: Set<string>;
export let provider: Provider;
export let opened: OpenParams[];
/** Declares that each test of the file has a client and a cloud of its own. */
export function prepareStrictCloud(): void {
  beforeEach(() => {
    cli = testCli();
    refused = new Set();
    opened = [];
    provider = strict();
  });
  afterEach(() => cli[Symbol.dispose]());
}

/** Returns a simulated cloud that requires a password, and a one-time token. */
function strict(): Provider {
  const simulated = createSimulatedProvider();
  return {
    ...simulated,
    type: 'strict',
    description: 'A cloud with a door',
    builtinCloud: {
      name: 'door',
      aliases: ['gate'],
      description: 'The one next door',
      regions: ['near', 'far'],
    },
    endpoint: { description: 'The address of the door.' },
    authTypes: {
      userpass: {
        username: { type: 'string', description: 'Who' },
        password: { type: 'string', description: 'What only they know', secret: true },
      },
      token: { token: { type: 'string', description: 'Good once', secret: true } },
    },
    config: {
      ...simulated.config,
      'door-key': { type: 'string', description: 'Opens it', secret: true },
    },
    detect: ({ env }) =>
      Promise.resolve(
        env['DOOR_USER']
          ? [
              {
                name: 'gate',
                endpoint: 'https://door',
                regions: ['near'],
                credentials: {
                  found: {
                    label: `strict credential "${env['DOOR_USER']}"`,
                    authType: 'userpass',
                    attributes: { username: env['DOOR_USER'], password: secret },
                  },
                },
              },
            ]
          : [],
      ),
    finalizeCredential: ({ credential }) =>
      Promise.resolve(
        credential.authType === 'token'
          ? {
              authType: 'userpass',
              attributes: { username: 'made', password: `of ${credential.attributes['token']}` },
            }
          : credential,
      ),
    open: (params) => {
      opened.push(params);
      const environ = simulated.open(params);
      const check = (): void => {
        if (refused.has(params.cloud.credential?.attributes['password'] ?? ''))
          throw new ProviderError('credential', 'the door stays shut');
      };
      const list = environ.instances.list.bind(environ.instances);
      return { ...environ, instances: { ...environ.instances, list: (signal) => (check(), list(signal)) } };
    },
  };
}

export const run = (
  line: string | readonly string[],
  input = '',
  env: Record<string, string> = {},
): Promise<CliRun> =>
  cli.run(line, {
    input,
    env,
    providers: () => Promise.resolve(new Map([['strict', provider]])),
  });
export const file = (name: string, content: string): string => {
  writeFileSync(join(cli.folder, name), content);
  return name;
};
export const ok = async (line: string, input = '', env: Record<string, string> = {}): Promise<CliRun> => {
  const result = await run(line, input, env);
  expect(result, `${line}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result;
};

export const awayCloudYaml = `clouds:
  away:
    type: strict
    endpoint: https://away
    regions:
      south: {}
      north: {endpoint: https://north}
    config: {zones: 'a,b', door-key: ${secret}}
`;
export const credentialYaml = (password = secret): string => `credentials:
  away:
    mine:
      auth-type: userpass
      username: me
      password: ${password}
`;
