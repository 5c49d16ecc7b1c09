import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { changesOf, charmDigest, digestsOf } from './watch.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-watch-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a change of files that would be packed is reported, and no other change is', async () => {
  const charm = join(folder, 'charm');
  await mkdir(join(charm, 'src'), { recursive: true });
  await mkdir(join(charm, '.git'));
  await writeFile(join(charm, 'metadata.yaml'), 'name: web\nsummary: s\ndescription: d\n');
  await writeFile(join(charm, 'dispatch'), '#!/bin/sh\n');
  await chmod(join(charm, 'dispatch'), 0o755);
  const end = new AbortController();
  const changes = changesOf(charm, {
    since: { charm: await charmDigest(charm, folder), scenarios: new Map() },
    folder,
    clock: systemClock,
    signal: end.signal,
  });
  try {
    const first = changes.next();
    await writeWhen(first, async (n) => {
      await writeFile(join(charm, '.git/index'), String(n));
      await writeFile(join(charm, 'src/charm.py'), `n = ${n}`);
    });
    expect((await first).value).toMatchObject({ archive: expect.stringMatching(/watched-\d+\.charm$/) });
  } finally {
    end.abort();
    await changes.return();
  }
});

test('a change of the file that the test itself writes is not reported, wherever the file is', async () => {
  const charm = join(folder, 'reported');
  await mkdir(charm);
  await writeFile(join(charm, 'metadata.yaml'), 'name: web\nsummary: s\ndescription: d\n');
  const results = join(charm, 'results.xml');
  const digest = await charmDigest(charm, folder, results);
  await writeFile(results, '<testsuites/>');
  expect(await charmDigest(charm, folder, results)).toBe(digest);
  expect(await charmDigest(charm, folder, join(folder, 'results.xml'))).not.toBe(digest);
});

test('a changed or removed scenario file is reported without the unchanged charm', async () => {
  const charm = join(folder, 'still.charm');
  const scenario = join(folder, 'story.txt');
  await writeFile(charm, 'packed');
  await writeFile(scenario, 'one');
  const since = { charm: await charmDigest(charm, folder), scenarios: await digestsOf([scenario]) };
  const end = new AbortController();
  const changes = changesOf(charm, { since, folder, clock: systemClock, signal: end.signal });
  try {
    await writeFile(scenario, 'two');
    expect((await changes.next()).value).toEqual({ scenarios: [scenario] });
    await rm(scenario);
    expect((await changes.next()).value).toEqual({ scenarios: [scenario] });
  } finally {
    end.abort();
    await changes.return();
  }
});

test('a charm that was refused is reported again with a changed scenario, and no longer once it was accepted', async () => {
  const charm = join(folder, 'refused.charm');
  const scenario = join(folder, 'other.txt');
  await writeFile(charm, 'packed');
  await writeFile(scenario, 'one');
  const since = { charm: await charmDigest(charm, folder), scenarios: await digestsOf([scenario]) };
  const end = new AbortController();
  let refused = true;
  const changes = changesOf(charm, {
    since,
    folder,
    isBehind: () => refused,
    clock: systemClock,
    signal: end.signal,
  });
  try {
    await writeFile(scenario, 'two');
    expect((await changes.next()).value).toEqual({ archive: charm, scenarios: [scenario] });
    refused = false;
    await writeFile(scenario, 'three');
    expect((await changes.next()).value).toEqual({ scenarios: [scenario] });
  } finally {
    end.abort();
    await changes.return();
  }
});

/** Writes again until the change is seen: watching begins some time after the call. */
async function writeWhen(seen: Promise<unknown>, write: (n: number) => Promise<void>): Promise<void> {
  let done = false;
  void seen.then(() => (done = true));
  for (let n = 1; !done; n++) {
    await write(n);
    await systemClock.sleep(1000);
  }
}
