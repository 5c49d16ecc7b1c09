import { expect, test } from 'vitest';
import { generateScript } from './generate-script.ts';
import { whileDisabled } from './offer-scripts.ts';
import { generateOffersScript } from './offers.ts';
import type { Script, Step } from './script.ts';
import { unitsWithoutStart } from './rollouts.ts';
import { runScript } from './run-script.ts';
import { isThorough, some } from '../thorough.ts';
import { hungVolumes, imports, volumesAfterKills } from './storage-scripts.ts';
import { faultKinds } from '../../forecast/world/faults.ts';

const hours = isThorough ? 0.05 : 0.02;

/** Tests of a few of the worlds of `npm run test:sim`, with all checks. */
test.each(some([1, 2, 3], 1))('the world of seed %i has no violations', async (seed) => {
  const outcome = await runScript(generateScript({ seed, hours }));
  expect(outcome.violation).toBeUndefined();
  expect(outcome.commands.deploy?.ok).toBeGreaterThan(0);
});

/** Tests of a few of the worlds of `npm run sim -- --offers`. */
test.each(some([1, 2, 3], 1))('the world with offers of seed %i has no violations', async (seed) => {
  const outcome = await runScript(generateOffersScript({ seed, hours }));
  expect(outcome.violation).toBeUndefined();
  expect(outcome.commands.consume?.ok).toBeGreaterThan(0);
});

test('the same seed gives the same world, and another seed another', async () => {
  const hashes: string[] = [];
  const script = (seed: number): Script =>
    isThorough ? generateScript({ seed, hours }) : { seed, hours: 0.1, steps: whileDisabled };
  for (const seed of [4, 4, 5]) hashes.push((await runScript(script(seed))).traceHash);
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[0]).not.toBe(hashes[2]);
});

test('volumes of the cloud are imported, used, released and imported again', async () => {
  const { violation, commands } = await runScript({ seed: 1, hours: 0.1, steps: imports });
  expect(violation).toBeUndefined();
  expect(commands['import-filesystem']).toEqual({ ok: 4, refused: 0, unknown: 0 });
  expect(commands['attach-storage']?.ok).toBe(3);
});

test.each(some([1, 2, 3, 4], 1))(
  'seed %i: calls that the cloud does not answer leave no volume behind',
  async (seed) => {
    const { violation, faults } = await runScript({ seed, hours: 0.1, steps: hungVolumes });
    expect(violation).toBeUndefined();
    expect(faults['volume-hung']).toBeGreaterThan(0);
  },
);

test.each(some([1, 2, 3], 1))(
  'seed %i: volumes that are made after the controller was killed end',
  async (seed) => {
    const { violation, faults } = await runScript({ seed, hours: 0.4, steps: volumesAfterKills });
    expect(violation).toBeUndefined();
    expect(faults['volume-hung']).toBeGreaterThan(0);
  },
);

test('a rolling refresh that waits for a unit without start is ended by its operator', async () => {
  const { violation, commands } = await runScript({ seed: 1, hours: 0.1, steps: unitsWithoutStart });
  expect(violation).toBeUndefined();
  expect(commands.resolve?.ok).toBe(2);
});

test('disabled commands do not stop the end of an offer and of the right to consume it', async () => {
  const { violation, commands } = await runScript({ seed: 1, hours: 0.1, steps: whileDisabled });
  expect(violation).toBeUndefined();
  expect(commands['revoke-offer']?.ok).toBe(1);
  expect(commands['remove-offer']?.ok).toBe(1);
});

test('a refresh to a charm without a peer relation is stopped by no disabled removal', async () => {
  const by = { by: 'alice', model: 0 } as const;
  const refresh = { ...by, do: 'refresh', application: 'db', forceUnits: false } as const;
  const steps: Step[] = [
    { ...by, atMs: 0, do: 'deploy', application: 'db', units: 1 },
    { ...refresh, atMs: 60_000, peer: true },
    { ...by, atMs: 120_000, do: 'disable-command', set: 'BlockRemove' },
    { ...refresh, atMs: 130_000, peer: false },
  ];
  const { violation, commands } = await runScript({ seed: 1, hours: 0.1, steps });
  expect(violation).toBeUndefined();
  expect(commands.refresh?.ok).toBe(2);
});

test('a hundred scripts have each kind of fault, and steps in chronological order', () => {
  const scripts = Array.from({ length: 50 }, (_, seed) => [
    generateScript({ seed, hours }),
    generateOffersScript({ seed, hours }),
  ]).flat();
  const kinds = scripts.flatMap(({ steps }) =>
    steps.flatMap((step) => ('trouble' in step ? [step.trouble] : [])),
  );
  expect(new Set(kinds)).toEqual(new Set(faultKinds));
  for (const { steps } of scripts) expect(steps).toEqual(steps.toSorted((a, b) => a.atMs - b.atMs));
});
