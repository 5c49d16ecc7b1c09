/**
 * The shop of three tiers (examples/shop) on real machines: declared, planned by CI, scaled, refreshed in order,
 * reverted, backed up, restored where it was and in another directory, and migrated, while a client measures whether
 * its service answers.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
/** Controller that the model is migrated to. */
let next: World | undefined;
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
  const left = [...((await next?.end()) ?? []), ...((await world?.end()) ?? [])];
  // The first controller was destroyed by the last test.
  expect(left.filter((line) => !/controller \S+ not found/.test(line))).toEqual([]);
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

/** Waits until every page of half a second has the title. */
async function untilAllShow(title: string): Promise<void> {
  client.pages.clear();
  await world.until(`all web servers to show ${title}`, async () => {
    const pages = [...client.pages];
    client.pages.clear();
    await sleep(500);
    return pages.length === 1 && pages[0] === title;
  });
}
/** Scales the web servers from three to two. */
async function removeThird(): Promise<void> {
  await apply('--var', 'WEB_UNITS=2');
  await world.until('the third web server to be gone', async () =>
    Object.keys((await world.status()).applications['web']?.units ?? {}).every((name) => name !== 'web/2'),
  );
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

test('its web servers take another charm one after the other and return to theirs, and the client misses nothing', async () => {
  const charm = join(shop, '../web/src/charm.py');
  const text = readFileSync(charm, 'utf8');
  writeFileSync(charm, text.replace('"title": config["title"]', '"title": config["title"] + " 2"'));
  const [{ revision }] = JSON.parse(await world.grigri('history', '-n', '1', '--format', 'json')) as [
    { revision: number },
  ];
  await apply('--var', 'WEB_UNITS=3');
  await untilAllShow('Shop 2');
  expect(told('refreshed')).toMatchObject({ missed: 0 });
  const back = ['--to', String(revision), '--rolling', '--no-prompt'];
  await world.grigri('revert', ...back, '--wait', 'active', '--timeout', '4m');
  await untilAllShow('Shop');
  writeFileSync(charm, text);
  expect(await apply('--var', 'WEB_UNITS=3', '--prune')).toMatch(/^Nothing to change/);
  expect(told('reverted')).toMatchObject({ missed: 0 });
});

test('it is backed up, its controller dies and is restored, while it answers', async () => {
  const archive = join(world.dir, 'shop.tar.gz');
  await world.grigri('create-backup', '--filename', archive);
  expect(told('backed up')).toMatchObject({ missed: 0 });
  world.killController();
  await world.grigri('restore-backup', '--data-dir', world.controllerDir, archive);
  await world.grigri('accept-restore', '--no-prompt');
  await world.untilUnit('web/2', { workload: 'active', agent: 'idle' });
  expect(await apply('--var', 'WEB_UNITS=3', '--prune')).toMatch(/^Nothing to change/);
  await removeThird();
  expect(told('restored')).toMatchObject({ missed: 0 });
});

test('its controller dies and is restored in another directory, and goes on with its machines', async () => {
  const archive = join(world.dir, 'shop-2.tar.gz');
  await world.grigri('create-backup', '--filename', archive);
  world.killController();
  const before = world.instances();
  const elsewhere = join(world.dir, 'elsewhere');
  const from = ['--old-data-dir', world.controllerDir];
  await world.grigri('restore-backup', '--data-dir', elsewhere, ...from, archive);
  await world.grigri('accept-restore', '--no-prompt');
  expect(world.instances()).toEqual(before);
  await world.untilUnit('web/1', { workload: 'active', agent: 'idle' });
  expect(await apply('--var', 'WEB_UNITS=2', '--prune')).toMatch(/^Nothing to change/);
  await world.grigri('exec', '--unit', 'web/1', '--', 'status-set active "told elsewhere"');
  await world.untilUnit('web/1', { message: 'told elsewhere', agent: 'idle' });
  expect(told('restored elsewhere')).toMatchObject({ missed: 0 });
});

test('it is migrated to another controller, which goes on with it when the first is gone', async () => {
  const { dir, name } = world;
  const own = join(dir, 'next');
  mkdirSync(own);
  const env = { JUJU_DATA: join(dir, 'client') };
  next = await startWorld('three-tiers-next', {
    patienceMs: 300_000,
    runner: { dir: own, argv: [join(root, 'bin/grigri')], env },
  });
  // The name is free for the model that comes.
  await next.grigri('destroy-model', '--no-prompt', `${next.name}:work`);
  told('another controller');
  await next.grigri('migrate', `${name}:work`, next.name);
  await next.until('the model to be there', async () =>
    (await next!.grigri('models', '-c', next!.name, '--format', 'json')).includes('"admin/work"'),
  );
  const there = next.inModel('work');
  await there.untilUnit('web/1', { message: 'told elsewhere', agent: 'idle' });
  expect(told('migrated')).toMatchObject({ missed: 0 });
  // A controller is not destroyed while it still hands a model over.
  await world.until(
    'the model to have left',
    async () =>
      (await world.grigri('models', '-c', name, '--format', 'json')).includes('"admin/work"') === false,
  );
  await world.grigri('destroy-controller', '--no-prompt', '--destroy-all-models', name);
  const more = ['--var', 'TITLE=Moved', '--var', 'WEB_UNITS=2', '--no-prompt', '--wait', 'active'];
  await there.grigri('apply', join(shop, 'model.yaml'), ...more, '--timeout', '4m');
  await untilAllShow('Moved');
  expect(await there.grigri('apply', join(shop, 'model.yaml'), ...more, '--prune')).toMatch(
    /^Nothing to change/,
  );
  told('changed by the other controller');
  client.stop();
  const shown = JSON.parse(await there.grigri('show-model', '--format', 'json')) as {
    work: { 'model-uuid': string };
  };
  await next.grigri('destroy-model', '--no-prompt', '--destroy-storage', `${next.name}:work`);
  expect(next.traces(shown.work['model-uuid'])).toEqual([]);
  rmSync(world.controllerDir, { recursive: true });
});
