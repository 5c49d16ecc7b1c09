import { randomBytes, randomUUID } from 'node:crypto';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createAuthority, createServerCertificate } from '../../controller/certificates.ts';
import { hashPassword } from '../../controller/passwords.ts';
import type { Entities } from '../../core/entities.ts';
import { indexes } from '../../core/indexes.ts';
import { JujuError } from '../../core/errors.ts';
import { hostPort } from '../../kit/host-port.ts';
import type { Provider } from '../../providers/provider.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import { dataPaths, type ControllerSettings } from './data-dir.ts';
import { firstDocuments } from './first-documents.ts';
import { planFirstMachine } from './first-machine.ts';
import { hostAddresses, hostBase, hostHardware } from './host.ts';

const defaultPort = 17070;

/**
 * Makes the controller's files, its first user and the model called `controller`. Errors: when there is one already.
 */
export async function initController(
  dataDir: string,
  config: InitConfig,
  providers: ReadonlyMap<string, Provider>,
): Promise<InitResult> {
  const paths = dataPaths(dataDir);
  if (
    await access(paths.settings).then(
      () => true,
      () => false,
    )
  )
    throw new Error(`there is a controller in ${dataDir} already`);
  const provider = providers.get(config.cloud.type);
  if (!provider)
    throw new JujuError(
      'not valid',
      `cloud type "${config.cloud.type}" not supported, supported: ${[...providers.keys()].join(', ')}`,
    );
  const retention = historyRevisions(config.config);
  const cloudConfig = await provider.prepareForBootstrap(provider.validate(config.cloud.config ?? {}));
  const uuid = randomUUID();
  const base = await hostBase();
  const first = await planFirstMachine({
    config,
    provider,
    cloudConfig,
    controllerUuid: uuid,
    stateDir: paths.machines,
    base,
  });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });

  const authority = await createAuthority({ now: Date.now(), uuid });
  const addresses = hostAddresses();
  const server = await createServerCertificate({ authority, addresses, now: Date.now() });
  const apiPort = await freePort(Number(config.config?.['api-port'] ?? defaultPort));
  const settings: ControllerSettings = {
    uuid,
    name: config.name,
    apiPort,
    caCert: authority.certificate,
    caKey: authority.key,
    serverCert: server.certificate,
    serverKey: server.key,
    agentKey: randomBytes(32).toString('base64'),
    ...retention,
  };
  const store = openSqliteStore<Entities>({ path: paths.store, indexes, now: Date.now, newUuid: randomUUID });
  const passwordHash = await hashPassword(config.adminPassword);
  const host = { addresses, base, hardware: hostHardware() };
  const authTypes = Object.keys(provider.authTypes);
  const modelUuid = await store.change(
    (tx) =>
      firstDocuments(tx, {
        uuid,
        config,
        cloudConfig,
        authTypes,
        passwordHash,
        apiPort,
        host,
        machine: first.machine,
      }),
    'bootstrap',
  );
  await store.close();
  await writeFile(paths.settings, JSON.stringify(settings, undefined, 2), { mode: 0o600 });
  return {
    uuid,
    modelUuid,
    caCert: authority.certificate,
    addresses: addresses.map((address) => hostPort(address, apiPort)),
    warnings: first.warnings,
  };
}

/** Errors: a plain Error. */
function historyRevisions(config: InitConfig['config'] = {}): { historyRevisions?: number } {
  const wanted = config['max-history-revisions'];
  if (wanted === undefined) return {};
  const revisions = Number(wanted);
  if (!Number.isSafeInteger(revisions) || revisions < 1)
    throw new Error(`max-history-revisions: expected a whole number above 0, got ${JSON.stringify(wanted)}`);
  return { historyRevisions: revisions };
}

/** The wanted port when it is free, else any; an explicit one that is taken is an error. */
function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' && wanted === defaultPort ? resolve(freePort(0)) : reject(error),
    );
    probe.listen(wanted, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : wanted));
    });
  });
}
