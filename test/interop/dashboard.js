// Calls of Juju's dashboard, page by page, by the library that it uses, with the members of the answers that it reads:
// the dashboard's own build is not available here. Facades, versions and arguments are those of its source
// (canonical/juju-dashboard).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { on, once } from 'node:events';
import { connect, connectAndLogin } from '@canonical/jujulib';
import action from '@canonical/jujulib/dist/api/facades/action/index.js';
import allWatcher from '@canonical/jujulib/dist/api/facades/all-watcher/index.js';
import annotations from '@canonical/jujulib/dist/api/facades/annotations/index.js';
import application from '@canonical/jujulib/dist/api/facades/application/index.js';
import block from '@canonical/jujulib/dist/api/facades/block/index.js';
import charms from '@canonical/jujulib/dist/api/facades/charms/index.js';
import client from '@canonical/jujulib/dist/api/facades/client/index.js';
import cloud from '@canonical/jujulib/dist/api/facades/cloud/index.js';
import controller from '@canonical/jujulib/dist/api/facades/controller/index.js';
import modelManager from '@canonical/jujulib/dist/api/facades/model-manager/index.js';
import pinger from '@canonical/jujulib/dist/api/facades/pinger/index.js';
import secrets from '@canonical/jujulib/dist/api/facades/secrets/index.js';
import { WebSocket } from 'ws';

const { GRIGRI_URL: url, GRIGRI_PASSWORD: password, GRIGRI: grigri, JUJU_CONTROLLER: name } = process.env;
const [charm = '', blockedCharm = ''] = process.argv.slice(2);
/** Version that the dashboard gives as its own, so that controllers of any version take it. */
const clientVersion = '3.0.0';
const sockets = [];
const options = (more = []) => ({
  closeCallback: () => undefined,
  debug: false,
  facades: [
    action,
    allWatcher,
    annotations,
    application,
    block,
    charms,
    client,
    cloud,
    controller,
    modelManager,
    secrets,
    ...more,
  ],
  wsclass: WebSocket,
  onWSCreated: (socket) => sockets.push(socket),
});
const login = { username: 'admin', password };
const has = (object, members, where) => {
  for (const member of members.split(' '))
    assert(object?.[member] !== undefined, `${where} has no ${member}: ${JSON.stringify(object)}`);
};
const noErrors = ({ results }) => assert(!results.some((one) => one.error), JSON.stringify(results));

// The page of the login: after a refusal it stays open, with the same connection.
const juju = await connect(`${url}/api`, options([pinger]));
await assert.rejects(juju.login({ username: 'admin', password: 'wrong' }, clientVersion));
const conn = await juju.login(login, clientVersion);
has(conn.info, 'controllerTag serverVersion user', 'the login');
assert.equal(conn.info.user.identity, 'user-admin');
has(conn.facades, 'modelManager cloud controller pinger', 'the connection');
await conn.facades.pinger.ping(null);

// The list of controllers.
const { config } = await conn.facades.controller.controllerConfig(null);
has(config, 'controller-name controller-uuid', 'the configuration');
console.log('logged in');

// The page that adds a model: clouds, the user's credentials, and the model with commands disabled.
const { clouds } = await conn.facades.cloud.clouds({ 'user-tag': 'user-admin' });
const [cloudTag] = Object.keys(clouds);
has(clouds[cloudTag], 'type auth-types', 'the cloud');
const { results: credentials } = await conn.facades.cloud.userCredentials({
  'user-clouds': [{ 'cloud-tag': cloudTag, 'user-tag': 'user-admin' }],
});
const [credential] = credentials[0].result;
assert.match(credential, /^cloudcred-/, 'a credential to choose');
const created = await conn.facades.modelManager.createModel({
  qualifier: 'user-admin',
  'owner-tag': 'user-admin',
  name: 'dash',
  'cloud-tag': cloudTag,
  credential,
  region: undefined,
});
has(created, 'uuid name', 'the new model');
const { uuid } = created;
const modelTag = `model-${uuid}`;
await onModel(async ({ facades }) => {
  assert.equal(
    (await facades.block.switchBlockOn({ type: 'BlockDestroy', message: 'kept' })).error,
    undefined,
  );
  assert.equal((await facades.block.switchBlockOff({ type: 'BlockDestroy', message: '' })).error, undefined);
});
console.log('model added with', credential);

// Charms come by other clients; everything else on the page of a model is done as by the dashboard.
const cli = (...words) =>
  execFileSync(grigri, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
cli('deploy', charm, 'kv', '-m', `${name}:dash`);
cli('deploy', blockedCharm, 'web', '-m', `${name}:dash`);
cli('wait-for', 'application', 'kv', '-m', `${name}:dash`);

// The list of models is polled: their states, then the details of each.
const { 'user-models': models } = await conn.facades.modelManager.listModels({
  tag: conn.info.user.identity,
});
has(
  models.find(({ model }) => model.uuid === uuid)?.model,
  'name uuid owner-tag type',
  'the model in the list',
);
await onModel(async ({ facades }) => {
  const status = await facades.client.fullStatus({ patterns: [], 'include-storage': true });
  has(status, 'applications machines relations model branches offers remote-applications', 'the status');
  has(status.model, 'name type cloud-tag version model-status sla', 'the model in the status');
  has(status.model['model-status'], 'status info since', 'the status of the model');
  const { kv } = status.applications;
  has(kv, 'charm charm-version exposed life relations units status base workload-version', 'the application');
  has(kv.status, 'status info since', 'the status of the application');
  const unit = kv.units['kv/0'];
  has(unit, 'agent-status workload-status machine opened-ports public-address leader', 'the unit');
  has(unit['workload-status'], 'status info since', 'the status of the unit');
  has(
    status.machines[unit.machine],
    'id instance-id agent-status instance-status dns-name hardware base constraints containers',
    'the machine',
  );
  const { results } = await facades.annotations.get({
    entities: Object.keys(status.applications).map((one) => ({ tag: `application-${one}` })),
  });
  assert.deepEqual(results.map(({ entity }) => entity).sort(), ['application-kv', 'application-web']);
  assert(facades.secrets.VERSION >= 2, 'secrets can be managed');
});
const { results: infos } = await conn.facades.modelManager.modelInfo({ entities: [{ tag: modelTag }] });
const info = infos[0].result;
has(
  info,
  'agent-version cloud-credential-tag cloud-tag controller-uuid is-controller life machines name owner-tag provider-type sla status type users uuid',
  'the information on the model',
);
assert.equal(info['cloud-credential-tag'], credential);
has(info.users[0], 'user display-name access last-connection', 'the user of the model');
has(info.machines[0], 'id status', 'the machine in the information');
console.log('models listed');

// The page of a model watches the model.
const followed = await connectAndLogin(`${url}/model/${uuid}/api`, options([pinger]), login, clientVersion);
const { facades } = followed.conn;
const { 'watcher-id': id } = await facades.client.watchAll(null);
const { deltas } = await facades.allWatcher.next({ id });
const kinds = new Set(deltas.map(([kind]) => kind));
for (const kind of ['model', 'machine', 'application', 'unit', 'charm'])
  assert(kinds.has(kind), `no delta of a ${kind}`);
const body = (kind) => deltas.find(([one]) => one === kind)[2];
has(body('model'), 'model-uuid name life owner cloud status sla type version', 'the delta of the model');
has(
  body('application'),
  'charm-url constraints exposed life name owner-tag status subordinate',
  'the application',
);
has(body('unit'), 'agent-status application machine-id name ports workload-status', 'the unit');
has(
  body('machine'),
  'addresses agent-status hardware-characteristics id instance-id instance-status',
  'the machine',
);

// Panels: configuration, charms and their actions, an action, its log.
const got = await facades.application.get({ application: 'kv', branch: '' });
has(got.config.greeting, 'description source type value default', 'an option');
noErrors(
  await facades.application.setConfigs({
    Args: [{ application: 'kv', config: { greeting: 'hi' }, 'config-yaml': '', generation: '' }],
  }),
);
const described = await facades.charms.charmInfo({ url: body('application')['charm-url'] });
has(described, 'meta config revision url', 'the charm');
has(described.meta, 'name summary description', 'the metadata of the charm');
const { results: known } = await facades.action.applicationsCharmsActions({
  entities: [{ tag: 'application-kv' }],
});
assert.equal(known[0]['application-tag'], 'application-kv');
const begun = await facades.action.enqueueOperation({
  actions: [{ name: 'no-such-action', receiver: 'unit-kv-0', parameters: {}, tag: '' }],
});
assert(begun.actions[0].error, 'an action that the charm lacks is refused');
const { operation } = await facades.action.run({ commands: 'echo hello', units: ['kv/0'] });
let shown;
do {
  const { results } = await facades.action.listOperations({
    actions: [],
    applications: ['kv'],
    limit: 50,
    machines: [],
    offset: 0,
    status: [],
    units: [],
  });
  shown = results.find((one) => one.operation === operation);
} while (shown?.status !== 'completed');
has(shown, 'operation summary actions enqueued completed status', 'the operation');
const { results: tasks } = await facades.action.actions({ entities: [{ tag: shown.actions[0].action.tag }] });
has(tasks[0], 'action completed enqueued started status output', 'the task');

// The tab of secrets.
const { results: made } = await facades.secrets.createSecrets({
  args: [{ 'owner-tag': modelTag, label: 'token', content: { data: { value: btoa('one') } } }],
});
const uri = made[0].result;
noErrors(await facades.secrets.grantSecret({ uri, applications: ['kv'] }));
const { results: listed } = await facades.secrets.listSecrets({ 'show-secrets': false });
has(listed[0], 'uri label owner-tag latest-revision revisions create-time update-time access', 'the secret');
const { results: content } = await facades.secrets.listSecrets({ filter: { uri }, 'show-secrets': true });
assert.equal(atob(content[0].value.data.value), 'one');
noErrors(await facades.secrets.revokeSecret({ uri, applications: ['kv'] }));
noErrors(await facades.secrets.removeSecrets({ args: [{ uri }] }));
await facades.allWatcher.stop({ id });
console.log('a model shown, its panels used');

// Sharing of the model with another user.
cli('add-user', 'viewer', '-c', name);
const share = (what, access) =>
  conn.facades.modelManager.modifyModelAccess({
    changes: [{ access, action: what, 'model-tag': modelTag, 'user-tag': 'user-viewer' }],
  });
for (const [what, access] of [
  ['grant', 'read'],
  ['revoke', 'read'],
  ['grant', 'write'],
])
  noErrors(await share(what, access));
console.log('shared');

// The command line below a model.
const shell = new WebSocket(`${url}/model/${uuid}/commands`);
const frames = on(shell, 'message');
await once(shell, 'open');
for (const [line, wanted] of [
  ['help', /Usage:|grigri/],
  ['status --color', /kv\/0/],
  ['config kv greeting', /^hi$/m],
  ['ssh kv/0', /cannot be run here/],
]) {
  shell.send(JSON.stringify({ user: 'admin', credentials: password, commands: [line] }));
  let text = '';
  for (let done = false; !done;) {
    const [data] = (await frames.next()).value;
    const frame = JSON.parse(data.toString());
    if (frame.output) text += `${frame.output[0]}\n`;
    done = frame.done === true;
  }
  assert.match(text, wanted, line);
}
shell.close();
console.log('commands run');

// Removal, as the list of models offers it.
followed.logout();
noErrors(
  await conn.facades.modelManager.destroyModels({
    models: [{ 'model-tag': modelTag, 'destroy-storage': true, force: false, 'max-wait': 0, timeout: 0 }],
  }),
);
juju.logout();
for (const socket of sockets) socket.close();
// The process should have nothing left that keeps it alive; if it has, that is an error and no reason to hang.
setTimeout(() => {
  console.error('still open:', process.getActiveResourcesInfo());
  process.exit(1);
}, 5000).unref();

/** Connects to the model for one operation, as the dashboard does when it polls. */
async function onModel(use) {
  const { conn: one, logout } = await connectAndLogin(
    `${url}/model/${uuid}/api`,
    options(),
    login,
    clientVersion,
  );
  await use(one);
  logout();
}
