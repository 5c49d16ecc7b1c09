import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { tagKeys } from '../contract/provider.ts';
import type { Kit } from './kit.ts';
import type { StartOrder } from './start-alone.ts';
import { defined } from '../../core/defined.ts';

/** Runtime for TypeScript: this Node, or grigri's own where this one is too old. */
const node = process.features.typescript
  ? process.execPath
  : join(import.meta.dirname, '../../../node_modules/.bin/node');

/** Maximum number of cuts in a brief run; otherwise they converge. */
const briefCuts = 3;

/** Architecture of this host in Juju's terms. */
const arch = process.arch === 'x64' ? 'amd64' : process.arch;

/**
 * Declares the case of a start whose process is killed in the middle: the next controller finds whatever was created.
 */
export function crashCases(kit: Kit): void {
  const { never } = kit;
  // The timeout covers many starts.
  const timeout = 3 * (kit.subject.timeoutMs ?? 60_000);

  test(
    'a start that was killed midway is completed by the next controller, or leaves nothing',
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
          ...defined({ bundle }),
        };
      };
      const whole = await startAlone(order('whole'));
      expect(whole.wasCut, 'the start failed').toBe(false);
      expect(await kit.idsOf(environ)).toHaveLength(1);
      await environ.instances.stop(await kit.idsOf(environ), never);

      // Cuts converge on the operation from which on the instance is listed: its neighbours are the most critical
      // points.
      let [unlisted, listed] = [0, whole.operations];
      const cutsMax = subject.isBrief ? briefCuts : Infinity;
      for (let cut = 0; listed - unlisted > 1 && cut < cutsMax;) {
        const operation = Math.floor((unlisted + listed) / 2);
        const nonce = `n${operation}`;
        const { wasCut } = await startAlone(order(nonce), operation);
        // A start that was cut off goes on in the cloud, which may list its instance a moment later.
        if (wasCut) await systemClock.sleep(200);
        kit.provider = subject.fresh();
        const reopened = world.open(kit.provider, { modelUuid: open.modelUuid });
        let found = await reopened.instances.list(never);
        if (found.length === 0 && (await kit.leftovers('instances')).length > 0)
          found = await reopened.instances.list(never);
        for (const { tags } of found)
          expect(tags).toMatchObject({ [tagKeys.machine]: '0', [tagKeys.nonce]: nonce });
        if (found.length === 0) expect(await kit.leftovers('instances')).toEqual([]);
        // Half of the restarted controllers still want the instance, the others do not.
        if (cut % 2 === 0) {
          const { instance } = await reopened.instances.start(kit.params('0', { nonce }), never);
          expect(await kit.idsOf(reopened)).toEqual([instance.id]);
          if (found[0]) expect(instance.id).toBe(found[0].id);
        }
        await reopened.instances.stop(await kit.idsOf(reopened), never);
        expect(await kit.idsOf(reopened)).toEqual([]);
        expect(await kit.leftovers('instances')).toEqual([]);
        if (found.length === 0) unlisted = operation;
        else listed = operation;
        // The number of operations varies in a start that polls.
        if (wasCut) cut++;
      }
    },
  );
}

/**
 * Runs a start in a process of its own, which is killed before its nth operation unless it has ended by then.
 * `operations`: number of operations it took.
 */
async function startAlone(
  order: StartOrder,
  cutAt?: number,
): Promise<{ readonly wasCut: boolean; readonly operations: number }> {
  const child = spawn(node, [join(import.meta.dirname, 'start-alone.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  child.stdin.end(JSON.stringify(cutAt === undefined ? order : { ...order, cutAt }));
  const output = await text(child.stdout);
  const [code, signal] = await ended;
  const wasCut = signal === 'SIGKILL';
  if (!wasCut) expect(code, 'the start failed').toBe(0);
  return { wasCut, operations: wasCut ? 0 : Number(output) };
}
