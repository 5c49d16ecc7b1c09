/**
 * Charms of the kinds that exist in public, through their lifecycles on real machines, each story in a model of its
 * own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawPart, partOf, sayPart } from '../part.ts';
import { startWorld, type World } from '../world.ts';
import { setStage, type Story } from './stage.ts';
import { gate } from './stories/gate.ts';
import { greeter } from './stories/greeter.ts';
import { keeper } from './stories/keeper.ts';
import { ledger } from './stories/ledger.ts';
import { lookout } from './stories/lookout.ts';
import { meter } from './stories/meter.ts';
import { opsCalls } from './stories/ops-calls.ts';
import { opsHookTools, opsSecrets } from './stories/ops-tests.ts';
import { pulse } from './stories/pulse.ts';
import { quorum } from './stories/quorum.ts';
import { rebooter } from './stories/rebooter.ts';
import { register } from './stories/register.ts';
import { throne } from './stories/throne.ts';

/** Stories, the longest first. */
const all: readonly Story[] = [
  opsHookTools,
  opsSecrets,
  pulse,
  keeper,
  ledger,
  register,
  throne,
  greeter,
  lookout,
  quorum,
  rebooter,
  gate,
  meter,
  opsCalls,
];
const part = partOf();
const drawn = drawPart(part, all, { count: 8, nameOf: ({ name }) => name });
if (part !== undefined) console.log(sayPart(part, drawn, all, 'stories of charms'));
let world: World;
beforeAll(async () => {
  world = await startWorld('charms', { patienceMs: 4 * 60_000 });
});
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

describe.concurrent('charms', () => {
  test.each(drawn.map((story) => [story.title, story] as const))('%s', async (_, story) => {
    const stage = await setStage(world, story);
    await story.play(stage);
    await stage.end();
  });
});
