/** Selectors of `status` in a model of 200 applications. */
import { describe, expect, test } from 'vitest';
import { statusId } from '../core/status.ts';
import { deployApplication } from '../controller/transactions/begin/deploy-application.ts';
import { cli, controller, prepareCli, writeCharm, outputOf } from './cli-world.ts';

const count = 200;

prepareCli(async () => {
  await outputOf('add-model many');
  writeCharm('web');
  await outputOf('deploy ./web web0');
  await outputOf('expose web0');
  const shown = JSON.parse(await outputOf('show-model --format json')) as { many: { 'model-uuid': string } };
  await controller.running().store.change((root) => {
    const tx = root.in(shown.many['model-uuid']);
    const { charmUrl, base } = tx.get('application', 'web0')!;
    for (let i = 1; i < count; i++) {
      deployApplication(tx, {
        name: `web${i}`,
        charmUrl,
        charmOrigin: { source: 'local', type: 'charm', id: '' },
        base,
        numUnits: 1,
        constraints: {},
        placement: [],
        config: {},
        trust: false,
        endpointBindings: {},
      });
    }
    const workload = {
      kind: 'workload',
      entity: 'web150/0',
      status: 'active',
      message: 'is it',
      since: tx.now,
    };
    tx.put('status', statusId('workload', 'web150/0'), workload as never);
    tx.put('unit', 'web151/0', {
      ...tx.get('unit', 'web151/0')!,
      deployed: true,
      ports: { '': ['8080/tcp'] },
    });
  }, 'test');
});

describe('status with selectors', () => {
  test.each<[selectors: string, applications: readonly string[] | number]>([
    ['', count],
    ['web7', ['web7']],
    ['web7 web8 web7', ['web7', 'web8']],
    ['web7/0', ['web7']],
    ['web19*', 11],
    ['web?', 10],
    ['web1[0-4]', 5],
    ['web*/0', count],
    ['active', ['web150']],
    ['8080/tcp', ['web151']],
    ['exposed', ['web0']],
    ['not exposed', count - 1],
  ])('"%s" shows the applications %j, with their units, and machines', async (selectors, expected) => {
    const { stdout, stderr, code } = await cli.run(`status ${selectors} --format json`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { applications, machines } = JSON.parse(stdout) as Shown;
    const names = Object.keys(applications);
    if (typeof expected === 'number') expect(names).toHaveLength(expected);
    else expect(names).toEqual(expected);
    const units = Object.values(applications).flatMap((one) => Object.values(one.units));
    expect(units).toHaveLength(names.length);
    expect(Object.keys(machines).sort()).toEqual(units.map(({ machine }) => machine).sort());
  });

  test.each(['tabular', 'oneline', 'short', 'line', 'summary', 'yaml'])(
    'the format %s shows what is selected',
    async (format) => {
      const { stdout } = await cli.run(`status web150 --format ${format}`);
      expect(stdout).toMatch(format === 'summary' ? /web150 +1\/1/ : /web150\/0/);
      expect(stdout).not.toContain('web151');
      const rows = (await cli.run(`status --format ${format}`)).stdout.match(/^.*\bweb\d+\b.*$/gm)!;
      expect(rows.length).toBeGreaterThanOrEqual(count);
    },
  );

  test.each([
    ['nothing', '\nNothing matched specified filter.\n'],
    ['nothing more', '\nNothing matched specified filters.\n'],
  ])('"%s" matches nothing, which is said, with exit code 0', async (selectors, said) => {
    expect(await cli.run(`status ${selectors}`)).toMatchObject({ code: 0, stderr: said });
  });
});

interface Shown {
  readonly applications: Record<string, { readonly units: Record<string, { readonly machine: string }> }>;
  readonly machines: Record<string, unknown>;
}
