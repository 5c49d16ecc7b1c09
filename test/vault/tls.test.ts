/** TLS to a real server of OpenBao, with certificates that are made here, by the commands (secrets.md#backend-tls). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestCa, type TestCa } from '../../src/testing/test-ca.ts';
import { Commands } from './commands.ts';
import { OpenBao } from './openbao.ts';

const name = 'vault.internal';
const folder = mkdtempSync(join(tmpdir(), 'grigri-vault-tls-'));
let ca: TestCa;
let bao: OpenBao;
const file = (at: string, text: string): string => {
  writeFileSync(join(folder, at), text);
  return join(folder, at);
};
beforeAll(async () => {
  ca = await makeTestCa(name);
  const other = await makeTestCa(name);
  bao = await OpenBao.start({ ...ca.server, clientCa: ca.caCert });
  file('ca.pem', ca.caCert);
  file('other-ca.pem', other.caCert);
  for (const [owner, issuer] of [
    ['client', ca],
    ['stranger', other],
  ] as const) {
    const { cert, key } = await issuer.issue('controller');
    file(`${owner}.pem`, cert);
    file(`${owner}-key.pem`, key);
  }
});
afterAll(async () => {
  await bao[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('a backend is used by TLS with a client certificate, and wrong certificates are told apart', async () => {
  await using commands = await Commands.start();
  const { cli, ok } = commands;
  const add = `add-secret-backend myvault vault endpoint=${bao.tlsEndpoint} token=${bao.token}`;
  const at = (path: string): string => `@${join(folder, path)}`;
  const [authority, server] = [`ca-cert=${at('ca.pem')}`, `tls-server-name=${name}`];
  const client = (who: string): string =>
    `client-cert=${at(`${who}.pem`)} client-key=${at(`${who}-key.pem`)}`;
  for (const [config, message] of [
    [`${server} ${client('client')}`, 'has a certificate of an unknown authority'],
    [`ca-cert=${at('other-ca.pem')} ${server} ${client('client')}`, 'is not of the authority in ca-cert'],
    [`${authority} ${client('client')}`, `has a certificate for DNS:${name}`],
    [`${authority} ${server}`, 'requires a client certificate'],
    [`${authority} ${server} ${client('stranger')}`, 'does not accept the client certificate'],
  ]) {
    const run = await cli.run(`${add} ${config}`);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(message);
  }
  const plain = bao.tlsEndpoint.replace('https', 'http');
  expect((await cli.run(`add-secret-backend myvault vault endpoint=${plain} token=x`)).stderr).toContain(
    'speaks TLS: its endpoint begins with https',
  );

  await ok(`${add} ${authority} ${server} ${client('client')}`);
  await ok('add-model shop');
  await ok('model-secret-backend myvault');
  await ok('add-secret first token=one');
  expect(await ok('show-secret first --reveal')).toContain('token: one');
  const shown = await ok('show-secret-backend myvault --reveal');
  expect(shown).toContain('BEGIN CERTIFICATE');
  expect(shown).not.toContain('PRIVATE KEY');
  await ok('destroy-model shop --no-prompt');
});

test('a namespace has the contents of its backend, and the root of the server has none of them', async () => {
  await bao.send('PUT', 'sys/namespaces/team', {});
  await using commands = await Commands.start();
  const { ok } = commands;
  for (const line of [
    `add-secret-backend myvault vault endpoint=${bao.endpoint} token=${bao.token} namespace=team`,
    'add-model shop',
    'model-secret-backend myvault',
    'add-secret first token=one',
  ])
    await ok(line);
  const engines = JSON.stringify(await bao.send('GET', 'team/sys/mounts'));
  expect(engines).toContain('shop-');
  expect(JSON.stringify(await bao.send('GET', 'sys/mounts'))).not.toContain('shop-');
  expect(await ok('show-secret first --reveal')).toContain('token: one');
});
