import { expect, test } from 'vitest';
import { parseCharm } from '../../core/charm/parse-charm.ts';
import { defaultScenario } from './default-scenario.ts';

function stepsOf(files: Parameters<typeof parseCharm>[0]): { lines: string[]; missing: unknown } {
  const { steps } = defaultScenario(parseCharm(files));
  const last = steps.at(-1);
  const condition = last?.kind === 'wait' ? last.conditions[0] : undefined;
  return {
    lines: steps.map(({ text }) => text),
    missing: condition?.kind === 'settled' ? condition.missing : 'no condition',
  };
}
const described = { summary: 's', description: 'd' };

test('the default scenario deploys the charm; its units may wait for the relations, options and resources that the charm declares and does not get', () => {
  expect(
    stepsOf({
      'metadata.yaml': {
        name: 'web',
        ...described,
        requires: { db: { interface: 'mysql' } },
        provides: { site: { interface: 'http' } },
        resources: { blob: { type: 'file', filename: 'b' } },
      },
      'config.yaml': { options: { token: { type: 'string' }, port: { type: 'int', default: 80 } } },
    }),
  ).toEqual({
    lines: ['$ deploy $CHARM', 'wait until application web is settled'],
    missing: ['relation db', 'option token', 'resource blob'],
  });
});

test.each([
  ['juju-info', 'charm principal', '$ integrate log:host principal:juju-info'],
  ['syslog', 'charm principal: provides host as syslog', '$ integrate log:host principal:host'],
])('a subordinate is deployed beside a principal for %s', (type, charm, integrate) => {
  expect(
    stepsOf({
      'metadata.yaml': {
        name: 'log',
        ...described,
        subordinate: true,
        requires: { host: { interface: type, scope: 'container' } },
      },
    }),
  ).toEqual({
    lines: [
      '$ deploy $CHARM',
      charm,
      '$ deploy ./principal',
      integrate,
      'wait until application log is settled',
    ],
    missing: [],
  });
});
