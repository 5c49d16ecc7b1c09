import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../kit/clock.ts';
import { createLog } from '../kit/log.ts';
import {
  machineNonce,
  machineSecret,
  startApiServer,
  testModel,
  type ApiServer,
} from '../testing/api-server.ts';
import { controllerLink } from './controller-link.ts';
import { OwnPassword } from './own-password.ts';

const year = 366 * 86_400_000;
let api: ApiServer;
beforeAll(async () => void (api = await startApiServer({})));
afterAll(() => api.stop());

const { signal } = new AbortController();

function linkTo({ server, caCert }: ApiServer): ReturnType<typeof controllerLink> {
  const conf = {
    tag: 'machine-0',
    controller: 'c5a3ce4e-9a2b-4a51-8f0a-3f8d2a1b0c9d',
    model: testModel,
    apiAddresses: [`127.0.0.1:${server.port}`],
    caCert,
    apiPassword: machineSecret,
    nonce: machineNonce,
    upgradedToVersion: '3.6.28',
    providerType: 'local',
  };
  const password = new OwnPassword(conf, {
    save: () => Promise.reject(new Error('nothing is to be saved')),
    newPassword: () => 'unused',
    clock: systemClock,
    log: createLog('test', () => undefined, Date.now),
  });
  return controllerLink(conf, password);
}

test('an agent stays connected while the controller’s certificate is renewed, and reconnects when the old one has expired', async () => {
  const link = linkTo(api);
  const connection = await link.connect(signal);
  let isClosed = false;
  void connection.closed.then(() => (isClosed = true));

  // Nothing connects to a server with an expired certificate.
  await api.renewCertificate(Date.now() - 2 * year);
  await expect(link.connect(signal)).rejects.toThrow(/expired/);
  await api.renewCertificate(Date.now());
  const again = await link.connect(signal);
  expect(again.login.modelTag).toBe(connection.login.modelTag);
  expect(isClosed).toBe(false);
  await Promise.all([connection.close(), again.close()]);
});
