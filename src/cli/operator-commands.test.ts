import { beforeAll, afterAll, expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';

let cli: TestCli;
let controller: TestController;
beforeAll(async () => {
  cli = testCli();
  controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  await controller.addModel('work');
  await cli.run('switch work');
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

async function run(line: string): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line);
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}

const keepsProgram =
  'WARNING the controller keeps its program: programs of a controller without files not supported\n';

test.each([
  ['enable-ha -n 1', 'maintaining machines: 0\n'],
  ['enable-ha -n 1 --format json', '{"maintained":["0"]}\n'],
  ['enable-ha -n 2', '2: ERROR must specify a number of controllers odd and non-negative\n'],
  [
    'enable-ha',
    '1: ERROR failed to enable HA with 3 controllers: a second controller machine not supported\n',
  ],
  ['upgrade-controller --dry-run', `${keepsProgram}no upgrades available\n`],
  ['upgrade-controller --agent-version 3.6.28', `${keepsProgram}no upgrades available\n`],
  [
    'upgrade-controller --program /nowhere',
    '1: ERROR programs of a controller without files not supported\n',
  ],
  ['upgrade-controller --agent-version 3.6.1', '1: ERROR downgrade not supported\n'],
  ['upgrade-controller --reset-previous-upgrade', 'no upgrades available\n'],
  [
    'upgrade-controller --reset-previous-upgrade --agent-version 3.6.28',
    '2: ERROR --reset-previous-upgrade and --agent-version cannot be used together\n',
  ],
  ['upgrade-controller --build-agent', '1: ERROR building an agent for a controller not supported\n'],
  ['sync-agent-binary --agent-version 2.9', '1: ERROR no matching agent binaries found\n'],
  ['sync-agent-binary --agent-version 3.6.29', '1: ERROR no matching agent binaries found\n'],
  [
    'sync-agent-binary --local-dir x',
    '1: ERROR copying agent binaries from or to a directory not supported\n',
  ],
  ['set-application-base', '2: ERROR no arguments specified\n'],
  ['set-application-base mysql', '2: ERROR no base specified\n'],
  ['set-application-base mysql ubuntu@22.04', '1: ERROR application "mysql" not found\n'],
  ['set-firewall-rule', '2: ERROR no well known service specified\n'],
  ['set-firewall-rule ssh', '2: ERROR no allowlist subnets specified\n'],
  ['set-firewall-rule http --allowlist 10.0.0.0/8', '1: ERROR known service "http" not valid\n'],
])('%s says %s', async (line, said) => {
  expect(await run(line)).toBe(said);
});

test('rules of the firewall are settings of the model', async () => {
  expect(await run('set-firewall-rule ssh --allowlist 10.0.0.0/8,192.168.0.0/16')).toMatch(
    /^WARNING [^\n]*\n$/,
  );
  expect(await run('model-config ssh-allow')).toBe('10.0.0.0/8,192.168.0.0/16\n');
  expect((await cli.run('firewall-rules')).stdout).toMatch(
    /^Service +Whitelist subnets\n.*\nssh +10\.0\.0\.0\/8,192\.168\.0\.0\/16\n$/,
  );
  expect(JSON.parse((await cli.run('list-firewall-rules --format json')).stdout)).toContainEqual({
    'known-service': 'ssh',
    'whitelist-subnets': ['10.0.0.0/8', '192.168.0.0/16'],
  });
});

test('a dump is the same as YAML and as JSON', async () => {
  const yaml = (await cli.run('dump-model --simplified')).stdout;
  expect(yaml).toMatch(/^model:\n {2}uuid: /);
  const json: unknown = JSON.parse((await cli.run('dump-model --simplified --format json')).stdout);
  expect(json).toMatchObject({ model: { name: 'work', owner: 'admin' } });
  expect(JSON.parse((await cli.run('dump-db work --format json')).stdout)).toMatchObject({
    models: [{ name: 'work' }],
  });
  expect(await run('dump-model nothing')).toMatch(/^1: ERROR model .* not found/);
});
