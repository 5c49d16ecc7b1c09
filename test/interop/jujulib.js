// Jobs of jujulib: login, add a model, list models, deploy, status, watch until active, run and cancel, secrets,
// actions, resources, storage and refresh of a charm, destroy the model.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAndLogin, generateModelURL } from '@canonical/jujulib';
import action from '@canonical/jujulib/dist/api/facades/action/index.js';
import allWatcher from '@canonical/jujulib/dist/api/facades/all-watcher/index.js';
import application from '@canonical/jujulib/dist/api/facades/application/index.js';
import charms from '@canonical/jujulib/dist/api/facades/charms/index.js';
import client from '@canonical/jujulib/dist/api/facades/client/index.js';
import cloud from '@canonical/jujulib/dist/api/facades/cloud/index.js';
import keyManager from '@canonical/jujulib/dist/api/facades/key-manager/index.js';
import modelManager from '@canonical/jujulib/dist/api/facades/model-manager/index.js';
import pinger from '@canonical/jujulib/dist/api/facades/pinger/index.js';
import resources from '@canonical/jujulib/dist/api/facades/resources/index.js';
import secrets from '@canonical/jujulib/dist/api/facades/secrets/index.js';
import spaces from '@canonical/jujulib/dist/api/facades/spaces/index.js';
import storage from '@canonical/jujulib/dist/api/facades/storage/index.js';
import { WebSocket } from 'ws';

const { GRIGRI_URL: url, GRIGRI_PASSWORD: password } = process.env;
const facades = [
  action,
  allWatcher,
  application,
  charms,
  client,
  cloud,
  keyManager,
  modelManager,
  pinger,
  resources,
  secrets,
  spaces,
  storage,
];
const sockets = [];
const options = {
  facades,
  wsclass: WebSocket,
  closeCallback: () => undefined,
  onWSCreated: (socket) => sockets.push(socket),
};
const credentials = { username: 'admin', password };

await assert.rejects(
  connectAndLogin(`${url}/api`, options, { username: 'admin', password: 'wrong' }),
  /invalid entity name or password|been granted permission/,
);
// Refused logins leave the connection open, for another try; the controller would end it after minutes.
sockets[0].close();
await closed(sockets[0]);
const { conn, logout } = await connectAndLogin(`${url}/api`, options, credentials);
const { clouds } = await conn.facades.cloud.clouds({});
const [cloudTag] = Object.keys(clouds);
const { uuid } = await conn.facades.modelManager.createModel({
  name: 'js',
  'owner-tag': 'user-admin',
  'cloud-tag': cloudTag,
});
const listed = await conn.facades.modelManager.listModels({ tag: 'user-admin' });
assert(listed['user-models'].some((one) => one.model.uuid === uuid && one.model.name === 'js'));
console.log('model added and listed', uuid);

const { conn: model, logout: leave } = await connectAndLogin(
  generateModelURL(new URL(url).host, uuid),
  options,
  credentials,
);
const { 'watcher-id': watcher } = await model.facades.client.watchAll({});
const [store = '', page = '', toolbox = ''] = process.argv.slice(2);
const seen = new Map();
await deploy('kv', await uploadCharm(store), 'kv: {greeting: from jujulib}');
await unitIs('kv/0', 'active');
for (const kind of ['model', 'machine', 'application', 'unit', 'charm'])
  assert(seen.has(kind), `no delta of a ${kind}`);

// The application requires the store: its unit has no machine yet, and is an ordinary unit that is blocked.
await deploy('web', await uploadCharm(page));
const unit = await unitIs('web/0', 'blocked');
assert.equal(unit['machine-id'], '');
assert.equal(unit['workload-status'].message, 'missing relation: db (kv)');
await model.facades.application.addRelation({ endpoints: ['web:db', 'kv:db'], 'via-cidrs': [] });
await unitIs('web/0', 'active');
console.log('deployed when what it requires was there');

const status = await model.facades.client.fullStatus({ patterns: [] });
assert.equal(status.applications.kv.units['kv/0']['workload-status'].status, 'active');
assert.equal(status.applications.web.units['web/0'].machine, '1');
const { config } = await model.facades.application.get({ application: 'kv', branch: '' });
assert.equal(config.greeting.value, 'from jujulib');
console.log('deployed, watched, status read');

const { meta } = await model.facades.charms.charmInfo({ url: status.applications.kv.charm });
assert.match(meta['min-juju-version'], /^\d+\.\d+\.\d+$/);
const { actions: begun } = await model.facades.action.run({ commands: 'sleep 1000', units: ['kv/0'] });
const { tag: task } = begun[0].action;
await taskIs(task, 'running');
await model.facades.action.cancel({ entities: [{ tag: task }] });
await taskIs(task, 'aborted');
const { operation, actions: refused } = await model.facades.action.run({ commands: 'true', units: ['kv/9'] });
assert.equal(refused[0].error.code, 'not found');
const { results: operations } = await model.facades.action.operations({ entities: [{ tag: operation }] });
assert.equal(operations[0].status, 'error');
console.log('a command cancelled while it ran, another scheduled nowhere');
await useToolbox();
leave();

const [destroyed] = (
  await conn.facades.modelManager.destroyModels({ models: [{ 'model-tag': `model-${uuid}` }] })
).results;
assert.equal(destroyed?.error, undefined);
for (let gone = false; !gone; await sleep(300)) {
  const models = await conn.facades.modelManager.listModels({ tag: 'user-admin' });
  gone = !models['user-models'].some((one) => one.model.uuid === uuid);
}
console.log('model destroyed');
logout();
for (const socket of sockets) await closed(socket);
// The process should have nothing left that keeps it alive; if it has, that is an error and no reason to hang.
setTimeout(() => {
  console.error('still open:', process.getActiveResourcesInfo());
  process.exit(1);
}, 30_000).unref();

/** Waits until the controller has answered a close, which it does so soon that no time limit is reached. */
async function closed(socket) {
  if (socket.readyState === WebSocket.CLOSED) return;
  await once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
}

/** Uses the features of a charm of one's own: resources, storage, actions, secrets, another revision. */
async function useToolbox() {
  const { action, application, charms, client, keyManager, resources, secrets, spaces, storage } =
    model.facades;
  const first = await uploadCharm(toolbox);
  const blob = await sendResource(first, 'first');
  await deploy('toolbox', first, '', {
    resources: { blob },
    storage: { data: { pool: 'rootfs', size: 100, count: 1 } },
  });
  await unitSays('toolbox/0', 'blob first token none');
  const { results: listed } = await resources.listResources({ entities: [{ tag: 'application-toolbox' }] });
  assert.equal(listed[0].resources[0].fingerprint, fingerprintOf('first', 'base64'));
  const { results: stored } = await storage.listStorageDetails({ filters: [{}] });
  assert.deepEqual(
    stored[0].result.map((one) => [one['storage-tag'], one['owner-tag'], one.status.status]),
    [['storage-data-0', 'unit-toolbox-0', 'attached']],
  );

  const { actions: begun } = await action.enqueueOperation({
    actions: [{ receiver: 'unit-toolbox-0', name: 'greet', parameters: { name: 'jujulib' } }],
  });
  await taskIs(begun[0].action.tag, 'completed');
  const { results: done } = await action.actions({ entities: [{ tag: begun[0].action.tag }] });
  assert.equal(done[0].output.greeting, 'hello, jujulib');
  const { results: known } = await action.applicationsCharmsActions({
    entities: [{ tag: 'application-toolbox' }],
  });
  assert.deepEqual(Object.keys(known[0].actions).sort(), ['crash', 'greet', 'linger', 'refuse']);

  const content = (value) => ({ data: { value: btoa(value) } });
  const { results: created } = await secrets.createSecrets({
    args: [{ 'owner-tag': `model-${uuid}`, label: 'token', content: content('one') }],
  });
  const uri = created[0].result;
  const noErrors = ({ results }) =>
    assert(
      results.every((one) => !one.error),
      JSON.stringify(results),
    );
  noErrors(await secrets.grantSecret({ uri, label: '', applications: ['toolbox'] }));
  noErrors(
    await application.setConfigs({
      Args: [{ application: 'toolbox', generation: 'master', config: { token: uri }, 'config-yaml': '' }],
    }),
  );
  await unitSays('toolbox/0', 'token one');
  noErrors(await secrets.updateSecrets({ args: [{ uri, 'existing-label': '', content: content('two') }] }));
  await unitSays('toolbox/0', 'token two');
  const { results: shown } = await secrets.listSecrets({ filter: { uri }, 'show-secrets': true });
  assert.equal(shown[0]['latest-revision'], 2);
  assert.equal(atob(shown[0].value.data.value), 'two');
  assert.deepEqual(
    shown[0].access.map((one) => [one['target-tag'], one.role]),
    [['application-toolbox', 'view']],
  );
  noErrors(await secrets.revokeSecret({ uri, label: '', applications: ['toolbox'] }));
  noErrors(
    await application.unsetApplicationsConfig({
      Args: [{ application: 'toolbox', branch: 'master', options: ['token'] }],
    }),
  );
  await unitSays('toolbox/0', 'token none');
  noErrors(await secrets.removeSecrets({ args: [{ uri, label: '' }] }));
  console.log('an action, a secret, a resource and storage');

  const second = await uploadCharm(toolbox);
  noErrors(
    await charms.checkCharmPlacement({ placements: [{ application: 'toolbox', 'charm-url': second }] }),
  );
  const { 'charm-origin': origin } = await application.getCharmURLOrigin({
    application: 'toolbox',
    branch: 'master',
  });
  await application.setCharm({
    application: 'toolbox',
    generation: 'master',
    channel: '',
    'charm-url': second,
    'charm-origin': origin,
    force: false,
    'force-base': false,
    'force-units': false,
    'config-settings': { greeting: 'servus' },
    'resource-ids': { blob: await sendResource(second, 'second') },
    'storage-constraints': { data: { pool: 'tmpfs', size: 10, count: 1 } },
  });
  await unitSays('toolbox/0', 'greeting servus blob second');
  const { applications } = await client.fullStatus({ patterns: ['toolbox'] });
  assert.equal(applications.toolbox.charm, second);
  const { results: inSpaces } = await spaces.listSpaces({});
  assert(inSpaces.some((one) => one.name === 'alpha'));
  const { results: keys } = await keyManager.listKeys({
    entities: { entities: [{ tag: `model-${uuid}` }] },
    mode: true,
  });
  assert.equal(keys[0].error, undefined);
  console.log('refreshed');
}

/** Announces a content of the resource and uploads it. Returns its pending id. */
async function sendResource(charm, content) {
  const { 'pending-ids': ids, error } = await model.facades.resources.addPendingResources({
    tag: 'application-toolbox',
    url: charm,
    resources: [{ name: 'blob', type: 'file', path: 'blob.txt', origin: 'upload', revision: 0, size: 0 }],
  });
  assert.equal(error, undefined);
  await send('PUT', `applications/toolbox/resources/blob?pendingid=${ids[0]}`, content, {
    'Content-Type': 'application/octet-stream',
    'Content-Sha384': fingerprintOf(content, 'hex'),
    'Content-Disposition': 'form-data; filename="blob.txt"',
  });
  return ids[0];
}

function fingerprintOf(content, form) {
  return createHash('sha384').update(content).digest(form);
}

/** Watches until the unit's status has the text. */
async function unitSays(name, text) {
  await unitIs(name, 'active', (message) => message.includes(text));
}

async function deploy(name, charm, config = '', more = {}) {
  const { results } = await model.facades.application.deploy({
    applications: [
      {
        application: name,
        'charm-url': charm,
        'num-units': 1,
        'config-yaml': config,
        'charm-origin': {
          source: 'local',
          type: 'charm',
          id: '',
          architecture: 'amd64',
          base: { name: 'ubuntu', channel: '24.04/stable' },
        },
        channel: '',
        constraints: {},
        Force: false,
        ...more,
      },
    ],
  });
  assert.equal(results[0].error, undefined);
}

async function taskIs(tag, wanted) {
  for (;;) {
    const { results } = await model.facades.action.actions({ entities: [{ tag }] });
    if (results[0].status === wanted) return;
    assert(['pending', 'running', 'aborting'].includes(results[0].status), results[0].status);
    await sleep(200);
  }
}

/** Watches until the unit's workload has that status, with a message that fits. Returns the unit. */
async function unitIs(name, wanted, fits = () => true) {
  for (;;) {
    const { deltas } = await model.facades.allWatcher.next({ id: watcher });
    let found;
    for (const [kind, change, body] of deltas) {
      seen.set(kind, change);
      if (kind !== 'unit') continue;
      const { current, message } = body['workload-status'] ?? {};
      console.log('unit', body.name, current, message);
      assert.notEqual(current, 'error');
      if (body.name === name && current === wanted && fits(message ?? '')) found = body;
    }
    if (found) return found;
  }
}

async function uploadCharm(dir) {
  const temp = mkdtempSync(join(tmpdir(), 'charm-'));
  const zip = join(temp, 'charm.zip');
  execFileSync('/usr/bin/python3', [
    '-c',
    'import shutil,sys; shutil.make_archive(sys.argv[1][:-4], "zip", sys.argv[2])',
    zip,
    dir,
  ]);
  const body = readFileSync(zip);
  rmSync(temp, { recursive: true });
  return JSON.parse(await send('POST', 'charms?series=noble', body, { 'Content-Type': 'application/zip' }))[
    'charm-url'
  ];
}

/** Sends a body to the model's HTTP API. Returns the answer. */
async function send(method, path, body, headers) {
  const target = new URL(`${url.replace('wss:', 'https:')}/model/${uuid}/${path}`);
  const Authorization = `Basic ${Buffer.from(`user-admin:${password}`).toString('base64')}`;
  const answer = await new Promise((resolve, reject) => {
    const upload = request(target, { method, headers: { ...headers, Authorization } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    upload.once('error', reject).end(body);
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}
