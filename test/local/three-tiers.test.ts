/**
 * The shop of three tiers (examples/shop) on real machines: declared, planned by CI, scaled, refreshed in order, backed
 * up and restored, while a client measures whether its service answers.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let client: Client;
/** A copy of the repository: its charms are in no checkout, whose versions would be in them. */
let shop: string;

beforeAll(async () => {
  process.env['SHOP_PAYMENT_KEY'] = 'k-123';
  world = await startWorld('three-tiers', { patienceMs: 300_000 });
  shop = copyOfExamples('repository');
});
afterAll(async () => {
  client?.stop();
  delete process.env['SHOP_PAYMENT_KEY'];
  expect((await world?.end()) ?? []).toEqual([]);
});

/** Client that asks for the page again and again, and counts what it misses. */
class Client {
  #asked = 0;
  #missed: string[] = [];
  #longest = 0;
  #since: number | undefined;
  #stopped = false;
  readonly pages = new Set<string>();

  constructor(url: string) {
    void this.#ask(url);
  }

  async #ask(url: string): Promise<void> {
    while (!this.#stopped) {
      this.#asked++;
      try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
        const page = await answer.text();
        if (!answer.ok) throw new Error(`${answer.status} ${page}`);
        this.pages.add(/<title>(.*)<\/title>/.exec(page)?.[1] ?? page);
        this.#since = undefined;
      } catch (error) {
        const now = Date.now();
        this.#since ??= now;
        this.#longest = Math.max(this.#longest, now - this.#since);
        this.#missed.push(String(error));
      }
      await sleep(20);
    }
  }

  /** What was asked and missed since the last call. */
  figures(): { asked: number; missed: number; longestMs: number; first: string } {
    const [first = ''] = this.#missed;
    const figures = { asked: this.#asked, missed: this.#missed.length, longestMs: this.#longest, first };
    [this.#asked, this.#missed, this.#longest] = [0, [], 0];
    return figures;
  }

  stop(): void {
    this.#stopped = true;
  }
}

/** Copies the examples; returns the folder of the shop. */
function copyOfExamples(name: string): string {
  const folder = join(world.dir, name);
  cpSync(join(root, 'examples'), folder, { recursive: true });
  return join(folder, 'shop');
}

const flags = ['--var', 'TITLE=Shop', '--no-prompt', '--wait', 'active', '--timeout', '4m'];
const apply = (...more: string[]): Promise<string> =>
  world.grigri('apply', join(shop, 'model.yaml'), ...flags, ...more);
/** Tells what the client missed in a chapter of the story. */
function told(chapter: string): ReturnType<Client['figures']> {
  const figures = client.figures();
  process.stdout.write(`three tiers, ${chapter}: ${JSON.stringify(figures)}\n`);
  expect(figures.asked).toBeGreaterThan(0);
  return figures;
}
async function address(unit: string): Promise<string> {
  const found = (await world.status()).applications[unit.split('/')[0]!]?.units?.[unit];
  return found?.['public-address'] ?? '';
}

test('the shop is declared, and answers', async () => {
  await apply('--parallel', '8');
  client = new Client(`http://${await address('proxy/0')}:8000/`);
  await world.until('the page', () => Promise.resolve(client.pages.has('Shop')));
  client.figures();
  expect(await apply()).toMatch(/^Nothing to change/);
});

test('CI plans it: nothing to change, an edit, and one that a person has to decide', async () => {
  const env = {
    ...process.env,
    JUJU_DATA: join(world.dir, 'client'),
    PATH: `${root}/bin:${process.env['PATH']}`,
  };
  const run = (): string =>
    execFileSync(join(shop, 'ci/deploy.sh'), ['apply', 'staging'], { env, encoding: 'utf8' });
  expect(run()).toMatch(/^Plan for model[^]*exposed: everybody → nobody/);
  expect(run()).toBe('nothing to change\n');
  const model = join(shop, 'model.yaml');
  const overlay = join(shop, 'environments/staging.yaml');
  const [text, overlaid] = [model, overlay].map((path) => readFileSync(path, 'utf8'));
  writeFileSync(
    model,
    text!.replace(/ {2}proxy:[^]*? {2}web:/, '  web:').replace('- [proxy:backend, web:website]\n', ''),
  );
  writeFileSync(overlay, '{}\n');
  expect(run).toThrow(/a person has to decide: remove application proxy/);
  writeFileSync(model, text!);
  writeFileSync(overlay, overlaid!);
  expect(run()).toBe('nothing to change\n');
  await apply();
  await world.untilUnit('web/0', { workload: 'active', agent: 'idle' });
  told('CI');
});

test('it is scaled while it answers', async () => {
  await apply('--var', 'WEB_UNITS=3', '--parallel', '8');
  await world.untilUnit('web/2', { workload: 'active', agent: 'idle' });
  expect(told('scaled')).toMatchObject({ missed: 0 });
});

test('its web servers take another charm one after the other, and the client misses nothing', async () => {
  const charm = join(shop, '../web/src/charm.py');
  const text = readFileSync(charm, 'utf8');
  writeFileSync(charm, text.replace('"title": config["title"]', '"title": config["title"] + " 2"'));
  await apply('--var', 'WEB_UNITS=3');
  client.pages.clear();
  await world.until('all web servers to have the new charm', async () => {
    const pages = [...client.pages];
    client.pages.clear();
    await sleep(500);
    return pages.length === 1 && pages[0] === 'Shop 2';
  });
  expect(told('refreshed')).toMatchObject({ missed: 0 });
});

test('it is backed up, its controller dies and is restored, while it answers', async () => {
  const archive = join(world.dir, 'shop.tar.gz');
  await world.grigri('create-backup', '--filename', archive);
  expect(told('backed up')).toMatchObject({ missed: 0 });
  process.kill(Number(readFileSync(join(world.controllerDir, 'controller.pid'), 'utf8')), 'SIGKILL');
  await world.grigri('restore-backup', '--data-dir', world.controllerDir, archive);
  await world.grigri('accept-restore', '--no-prompt');
  await world.untilUnit('web/2', { workload: 'active', agent: 'idle' });
  expect(await apply('--var', 'WEB_UNITS=3', '--prune')).toMatch(/^Nothing to change/);
  await apply('--var', 'WEB_UNITS=2');
  await world.until('the third web server to be gone', async () =>
    Object.keys((await world.status()).applications['web']?.units ?? {}).every((name) => name !== 'web/2'),
  );
  expect(told('restored')).toMatchObject({ missed: 0 });
});
