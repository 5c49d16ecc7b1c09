import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Story } from '../stage.ts';

export const lookout: Story = {
  name: 'lookout',
  title: 'a subordinate lives on the machines of a charm that is nothing but dispatch, and goes with them',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('single'), '--base', 'ubuntu@22.04');
    await stage.grigri('deploy', stage.charm('lookout'), '--base', 'ubuntu@22.04');
    await stage.settled('single', 1, 'active', 'one');
    await stage.grigri('integrate', 'single', 'lookout');
    await stage.untilUnit('single/0', { agent: 'idle' });
    const lookouts = async (): Promise<string[]> => {
      const { units = {} } = (await stage.status()).applications['single']!;
      return Object.values(units).flatMap(({ subordinates = {} }) =>
        Object.entries(subordinates).map(
          ([name, unit]) => `${name} ${unit['workload-status'].current} ${unit['workload-status'].message}`,
        ),
      );
    };
    const untilLookouts = (...lines: string[]): Promise<void> =>
      stage.until(`lookouts: ${lines.join(', ')}`, async () => isDeepStrictEqual(await lookouts(), lines));
    await untilLookouts('lookout/0 active watches /etc/hostname of single/0');
    expect(await stage.inside('single/0', 'cat /etc/lookout')).toBe('lookout/0 with single/0');
    await stage.grigri('config', 'lookout', 'file=/var/log/single.log');
    await stage.grigri('config', 'single', 'word=two');
    await untilLookouts('lookout/0 active watches /var/log/single.log of single/0');
    await stage.settled('single', 1, 'active', 'two');
    const { results } = await stage.act('lookout/0', 'report');
    expect(results).toMatchObject({ file: '/var/log/single.log', principal: 'single/0' });
    expect(results?.['content']).toMatch(
      /^hooks\/install hook=install\nhooks\/leader-elected hook=leader-elected\nhooks\/config-changed hook=config-changed\nhooks\/start hook=start\n/,
    );
    expect(await stage.act('single/0', 'where')).toMatchObject({
      status: 'completed',
      results: { path: 'actions/where', name: 'where' },
    });
    const refused = await stage.attempt('run', 'single/0', 'where', 'to=x');
    expect(refused.stderr).toContain('failed to schedule any tasks');

    await stage.grigri('add-unit', 'single');
    await untilLookouts(
      'lookout/0 active watches /var/log/single.log of single/0',
      'lookout/1 active watches /var/log/single.log of single/1',
    );
    const told = 'status-set active "told by $(status-get)"';
    const run = readFileSync(join(import.meta.dirname, '../lookout/hooks/run'), 'utf8');
    await stage.grigri(
      'refresh',
      'lookout',
      '--path',
      stage.charm('lookout', {
        'hooks/run': run.replace('case $hook in', `case $hook in\n  upgrade-charm) ${told} ;;`),
        'hooks/upgrade-charm': '#!/bin/bash\n. hooks/run\n',
        'hooks/config-changed': null,
      }),
    );
    await untilLookouts('lookout/0 active told by active', 'lookout/1 active told by active');

    // Subordinates are removed with their principal unit, or with the relation.
    await stage.grigri('remove-unit', 'single/0', '--no-prompt');
    await untilLookouts('lookout/1 active told by active');
    await stage.grigri('remove-relation', 'single', 'lookout');
    await untilLookouts();
    await stage.until('the subordinate to tidy up', async () => {
      await stage.inside('single/1', 'test ! -e /etc/lookout');
      return true;
    });
  },
};
