import { expect } from 'vitest';
import { fails, type Story } from '../stage.ts';

export const throne: Story = {
  name: 'throne',
  title:
    'a charm with leader-set is led by another unit when the leader is silent, and when it leaves; a worse charm is rolled back',
  async play(stage) {
    await stage.grigri('deploy', stage.charm('throne'), '-n', '3');
    await stage.settled('throne', 3, 'active');
    const untilServed = async (
      sovereign: string,
      reigns: number,
      units: readonly string[],
    ): Promise<void> => {
      for (const unit of units)
        await stage.untilUnit(unit, {
          workload: 'active',
          message: unit === sovereign ? `reigns as number ${reigns}` : `serves ${sovereign}`,
        });
    };
    const all = ['throne/0', 'throne/1', 'throne/2'];
    const first = await stage.leader('throne');
    await untilServed(first, 1, all);

    const { machine } = await stage.unit(first);
    const agent = stage.agentPid(machine)!;
    process.kill(agent, 'SIGSTOP');
    let second = first;
    try {
      await stage.until('another leader', async () => (second = await stage.leader('throne')) !== first);
      await untilServed(
        second,
        2,
        all.filter((unit) => unit !== first),
      );
    } finally {
      process.kill(agent, 'SIGCONT');
    }
    await untilServed(second, 2, all);
    const status = (await stage.status()).applications['throne'];
    expect(status).toMatchObject({ 'application-status': { message: `led by ${second}` } });
    expect((await stage.relation(first, 'court'))['application-data']).toEqual({ sovereign: second });

    await stage.grigri('remove-unit', second, '--no-prompt');
    const left = await stage.settled('throne', 2, 'active');
    await stage.until('a third leader', async () => left.includes(await stage.leader('throne')));
    await untilServed(await stage.leader('throne'), 3, left);

    // Broken charms go no further than the first unit, and are rolled back.
    await stage.rolledBack('throne', stage.charm('throne', { 'hooks/upgrade-charm': fails }));
    await stage.settled('throne', 2, 'active');
    await untilServed(await stage.leader('throne'), 3, left);
  },
};
