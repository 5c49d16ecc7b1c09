/** Models of the source whose applications are related by an offer, with real charms, that go to the target. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { uploadCharm } from '../client/http.ts';
import type { Entities } from '../core/kinds.ts';
import { statusId } from '../core/status.ts';
import type { Reader } from '../store/store.ts';
import { eventually } from './eventually.ts';
import { migrationWorld, type MigrationWorld, type Mover } from './migration-world.ts';
import { ok } from './two-models.ts';
import { writeZip } from './zip.ts';

type Which = 'source' | 'target';

interface MigratingOffers extends AsyncDisposable {
  readonly world: MigrationWorld;
  /** Model with mysql, which offers it as `db`. */
  readonly data: Mover;
  /** Model with wordpress, which is related with the offer. */
  readonly shop: Mover;
  /** Sets the word that an application tells the other one, in the controller that has it. */
  say(which: Which, application: 'mysql' | 'wordpress', word: string): Promise<void>;
  /** Waits until an application has heard a word. */
  hears(which: Which, application: 'mysql' | 'wordpress', word: string): Promise<void>;
  /** Consumes the offer in the model of wordpress; both models are at this controller. */
  consume(which: Which): Promise<void>;
  /** Returns the hooks that have run, in order: `wordpress/0 install`. */
  readonly hooks: () => Promise<readonly string[]>;
  readonly view: (which: Which, model: Mover) => Reader<Entities>;
}

const note = (trace: string): string => `#!/bin/sh\necho "$JUJU_UNIT_NAME $JUJU_HOOK_NAME" >> ${trace}\n`;
/** Tells the other side the word of the configuration. */
const tell = (endpoint: string): string => `
for relation in $(relation-ids ${endpoint}); do relation-set -r $relation word=$(config-get word); done
`;
const offering = `
[ -n "$(relation-get secret "$JUJU_UNIT_NAME")" ] && exit
secret=$(secret-add password=hidden)
secret-grant $secret -r $JUJU_RELATION_ID
relation-set secret=$secret
`;
const hears = (secret: string): string => `
status-set active "heard $(relation-get word)${secret}"
`;

/** Reads the secret, whose content no status shows. */
const readSecret = `
secret=$(relation-get secret)
[ -z "$secret" ] || password=$(secret-get "$secret" password)
`;

const config = 'options:\n  word: {type: string, default: first, description: Is told to the other side.}\n';

async function deploy(
  world: MigrationWorld,
  model: string,
  {
    name,
    meta,
    hooks,
  }: { readonly name: string; readonly meta: string; readonly hooks: Record<string, string> },
): Promise<void> {
  const file = join(world.dir, `${name}.charm`);
  const trace = note(join(world.dir, 'hooks'));
  const files = Object.entries(hooks).map(([hook, text]) => [
    `hooks/${hook}`,
    { text: `${trace}${text}`, mode: 0o100755 },
  ]);
  await writeZip(file, {
    'metadata.yaml': `name: ${name}\nsummary: s\ndescription: d\n${meta}`,
    'config.yaml': config,
    ...Object.fromEntries(files),
  });
  const to = {
    ...world.source.connectOptions(model),
    login: { tag: 'user-admin', password: world.source.password },
  };
  const url = await uploadCharm({ ...to, modelUuid: model, name, revision: 0, file });
  const base = { name: 'ubuntu', channel: '24.04/stable' };
  await at(world, 'source', model, (admin) =>
    ok(
      admin.call('Application', 'Deploy', {
        applications: [
          {
            application: name,
            'charm-url': url,
            'num-units': 1,
            'charm-origin': { source: 'local', type: 'charm', base },
          },
        ],
      }),
    ),
  );
}

type Admin = Awaited<ReturnType<MigrationWorld['source']['connect']>>;

async function at<T>(
  world: MigrationWorld,
  which: Which,
  model: string | undefined,
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = await world[which].connect(model);
  try {
    return await use(admin);
  } finally {
    await admin.close();
  }
}

/** Waits until no unit has a hook to run: one that reads what came during it may run once more. */
async function atRest({ view, data, shop, hooks }: MigratingOffers): Promise<void> {
  const isIdle = (): boolean =>
    [view('source', data).get('status', statusId('unit-agent', 'mysql/0'))]
      .concat(view('source', shop).get('status', statusId('unit-agent', 'wordpress/0')))
      .every((status) => status?.status === 'idle');
  await eventually(async () => {
    const before = await hooks();
    if (!isIdle()) throw new Error('a unit runs a hook');
    await sleep(500);
    if (!isIdle() || (await hooks()).length > before.length) throw new Error('a unit has run a hook');
  });
}

/** Relates both models in the source, and waits until each side has heard the other. */
export async function migratingOffers(): Promise<MigratingOffers> {
  await using started = new AsyncDisposableStack();
  const world = started.use(await migrationWorld({ machines: 0 }));
  const data = world.mover(await world.source.addModel('data'), 1);
  const shop = world.mover(await world.source.addModel('shop'), 1);
  await deploy(world, data.model, {
    name: 'mysql',
    meta: 'provides: {server: {interface: mysql}}\n',
    hooks: {
      install: '',
      start: '',
      'config-changed': tell('server'),
      'server-relation-created': '',
      'server-relation-joined': `${tell('server')}${offering}`,
      'server-relation-changed': hears(''),
      'server-relation-departed': '',
      'server-relation-broken': '',
    },
  });
  await deploy(world, shop.model, {
    name: 'wordpress',
    meta: 'requires: {db: {interface: mysql}}\n',
    hooks: {
      install: '',
      start: '',
      'config-changed': tell('db'),
      'db-relation-created': '',
      'db-relation-joined': tell('db'),
      'db-relation-changed': `${readSecret}${hears(' with ${#password}')}`,
      'db-relation-departed': '',
      'db-relation-broken': '',
    },
  });
  const endpoints = { server: 'server' };
  await at(world, 'source', undefined, (admin) =>
    ok(
      admin.call('ApplicationOffers', 'Offer', {
        Offers: [
          {
            'model-tag': `model-${data.model}`,
            'offer-name': 'db',
            'application-name': 'mysql',
            'application-description': '',
            endpoints,
          },
        ],
      }),
    ),
  );
  const owned = started.move();
  const of = (application: 'mysql' | 'wordpress'): Mover => (application === 'mysql' ? data : shop);
  const offers: MigratingOffers = {
    world,
    data,
    shop,
    view: (which, { model }) => world[which].running().store.read().in(model),
    async say(which, application, word) {
      await at(world, which, of(application).model, (admin) =>
        admin.call('Application', 'SetConfigs', {
          Args: [{ application, generation: 'master', config: { word }, 'config-yaml': '' }],
        }),
      );
    },
    hears: (which, application, word) =>
      eventually(() => {
        const status = offers
          .view(which, of(application))
          .get('status', statusId('workload', `${application}/0`));
        const wanted = `heard ${word}${application === 'mysql' ? '' : ' with 6'}`;
        if (status?.message === wanted) return;
        throw new Error(`${application}: ${status?.message}\n${world.lines.slice(-30).join('\n')}`);
      }),
    async consume(which) {
      const { results } = await at(world, which, undefined, (admin) =>
        admin.call<{ results: { offer: object }[] }>('ApplicationOffers', 'GetConsumeDetails', {
          'offer-urls': { 'offer-urls': ['admin/data.db'] },
        }),
      );
      await at(world, which, shop.model, (admin) =>
        ok(admin.call('Application', 'Consume', { args: [results[0]!.offer] })),
      );
    },
    async hooks() {
      return (await readFile(join(world.dir, 'hooks'), 'utf8')).trim().split('\n');
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  await offers.consume('source');
  await at(world, 'source', shop.model, (admin) =>
    admin.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] }),
  );
  await offers.hears('source', 'mysql', 'first');
  await offers.hears('source', 'wordpress', 'first');
  await atRest(offers);
  return offers;
}

/** Lets each side say something, and checks that the other side hears it. */
export async function expectHeard(
  offers: MigratingOffers,
  at: { readonly mysql: Which; readonly wordpress: Which },
  word: string,
): Promise<void> {
  await offers.say(at.mysql, 'mysql', `${word}-of-mysql`);
  await offers.hears(at.wordpress, 'wordpress', `${word}-of-mysql`);
  await offers.say(at.wordpress, 'wordpress', `${word}-of-wordpress`);
  await offers.hears(at.mysql, 'mysql', `${word}-of-wordpress`);
}
