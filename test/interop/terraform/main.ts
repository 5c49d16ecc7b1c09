/**
 * Lifecycle of each resource of Terraform's provider juju/juju, by the calls that the provider makes: create, read,
 * update, import, delete. The test covers the API's side of the provider, as raw frames: the provider itself comes from
 * a registry that CI cannot reach. Arguments: folders of the charms kv, web and toolbox.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  deploy,
  destroyApplication,
  readApplication,
  testApplication,
  testIntegration,
  testMachine,
  type Charm,
} from './applications.ts';
import type { Account } from './frames.ts';
import { createModel, destroyModel, testClouds, testModel, testUsers } from './models.ts';
import { testKeys, testOffer, testPool, testSecret, testSpaces } from './others.ts';

const { GRIGRI_URL: url = '', GRIGRI_PASSWORD: password = '', GRIGRI_CA: ca = '' } = process.env;
const account: Account = { url, password, user: 'admin', ca: readFileSync(ca, 'utf8') };
const [kv = '', web = '', toolbox = ''] = process.argv.slice(2);
let passed = 0;
let skipped = 0;

async function step(name: string, run: () => Promise<unknown>): Promise<void> {
  if ((await run()) === false) {
    console.log(`skipped ${name}: the controller has no offers yet`);
    skipped++;
    return;
  }
  console.log(`passed ${name}`);
  passed++;
}

/** Packs a charm's folder as its author would. */
function pack(folder: string): Charm {
  const into = mkdtempSync(join(tmpdir(), 'terraform-'));
  try {
    const file = join(into, 'charm.zip');
    execFileSync('python3', ['-m', 'zipfile', '-c', file, '.'], { cwd: folder });
    const [, name = basename(folder)] =
      /^name: *(\S+)/m.exec(readFileSync(join(folder, 'metadata.yaml'), 'utf8')) ?? [];
    return { name, zip: readFileSync(file) };
  } finally {
    rmSync(into, { recursive: true });
  }
}

let model = '';
await step('juju_model', async () => {
  model = await testModel(account, 'terraform');
});
await step('juju_user, juju_access_model', () => testUsers(account, model));
await step('juju_cloud, juju_kubernetes_cloud, juju_credential', () => testClouds(account));
await step('juju_ssh_key', () => testKeys(account, model));
await step('juju_storage_pool', () => testPool(account, model));
await step('juju_space, juju_subnets', () => testSpaces(account, model));
await step('juju_application', () => testApplication(account, model, pack(toolbox)));
await step('juju_secret, juju_access_secret', () => testSecret(account, model, 'toolbox'));
await step('juju_application: delete', () => destroyApplication(account, model, 'toolbox'));
await step('juju_machine', () => testMachine(account, model));
await step('juju_integration', async () => {
  for (const charm of [kv, web]) await deploy(account, model, pack(charm), { application: basename(charm) });
  await readApplication(account, model, 'kv', 1);
  await testIntegration(account, model);
});
const consumer = await createModel(account, 'terraform-consumer', {});
await step('juju_offer, juju_access_offer', () => testOffer(account, model, consumer));
await step('juju_model: delete', async () => {
  for (const uuid of [model, consumer]) await destroyModel(account, uuid);
});
console.log(`${passed} passed, 0 failed, ${skipped} skipped`);
