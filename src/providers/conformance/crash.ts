import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tagKeys } from '../provider.ts';
import type { Kit } from './kit.ts';
import type { StartOrder } from './start-alone.ts';

/** Runs TypeScript as it is: this Node, or, where it is older, grigri's own. */
const node = process.features.typescript
  ? process.execPath
  : join(import.meta.dirname, '../../../node_modules/.bin/node');

/** In how many places of its course a start is killed. */
const cuts = 5;

/** This host's, in Juju's words. */
const arch = process.arch === 'x64' ? 'amd64' : process.arch;

/** A start whose process is killed in the middle: the next controller finds what there is of it. */
export function crashCases(kit: Kit): void {
  const { never } = kit;
  // It is many starts.
  const timeout = 3 * (kit.subject.timeoutMs ?? 60_000);

  test(
    'a start that was killed in the middle is finished, or leaves nothing',
    { timeout },
    async ({ skip }) => {
      const { subject, world } = kit;
      if (!subject.process) return skip('it is in no module of its own');
      const { cloud, config, ...open } = world.openParams(kit.provider);
      const environ = world.open(kit.provider, open);
      const { boot, constraints } = kit.params('0');
      const bundle = await boot?.download?.bundle(constraints.arch ?? arch);
      const order = (nonce: string): StartOrder => {
        const { progress: _, ...params } = kit.params('0', { nonce });
        const { controllerUuid, modelUuid, modelName, stateDir } = open;
        return {
          provider: subject.process!,
          open: { cloud, config, controllerUuid, modelUuid, modelName, stateDir },
          params,
          ...(bundle && { bundle }),
        };
      };
      // How long one takes that nobody kills.
      const wholeMs = await startAlone(order('whole'));
      await environ.instances.stop(await kit.idsOf(environ), never);

      let found = 0;
      for (let cut = 0; cut < cuts; cut++) {
        const nonce = `n${cut}`;
        await startAlone(order(nonce), (wholeMs * cut) / (cuts - 1));
        kit.provider = subject.fresh();
        const again = world.open(kit.provider, { modelUuid: open.modelUuid });
        const listed = await again.instances.list(never);
        found += listed.length;
        for (const { tags } of listed)
          expect(tags).toMatchObject({ [tagKeys.machine]: '0', [tagKeys.nonce]: nonce });
        if (listed.length === 0) expect(await kit.leftovers('instances')).toEqual([]);
        // Half of the controllers want it still, the others not any more.
        if (cut % 2 === 0) {
          const { instance } = await again.instances.start(kit.params('0', { nonce }), never);
          expect(await kit.idsOf(again)).toEqual([instance.id]);
          if (listed[0]) expect(instance.id).toBe(listed[0].id);
        }
        await again.instances.stop(await kit.idsOf(again), never);
        expect(await kit.idsOf(again)).toEqual([]);
        expect(await kit.leftovers('instances')).toEqual([]);
      }
      expect(found, 'no cut was in the middle').toBeGreaterThan(0);
    },
  );
}

/** Runs it in a process of its own, which is killed after so long. Resolves with the milliseconds from its start. */
async function startAlone(order: StartOrder, killAfterMs?: number): Promise<number> {
  const child = spawn(node, [join(import.meta.dirname, 'start-alone.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.end(JSON.stringify(order));
  let begun = 0;
  child.stdout.once('data', () => {
    begun = performance.now();
    if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  const code = await ended;
  if (killAfterMs === undefined) expect(code, 'the start failed').toBe(0);
  return performance.now() - begun;
}
