import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { checkModelDefaults } from '../../controller/facades/shared/model-defaults.ts';
import { createAuthority } from '../../controller/certificates.ts';
import { hashPassword, hashSecret, type ScryptCost } from '../../controller/passwords.ts';
import { sealAttributes, sealConfig } from '../../controller/secrets.ts';
import { createSealer, type Sealer } from '../../controller/sealer.ts';
import type { Base } from '../../core/base.ts';
import type { Entities } from '../../core/kinds.ts';
import { documents } from '../../core/documents.ts';
import { withDefaultBase } from '../../core/model/default-series.ts';
import { quotaSettings } from '../../core/quota.ts';
import { JujuError } from '../../core/errors.ts';
import { systemClock } from '../../kit/clock.ts';
import { hostPort } from '../../core/host-port.ts';
import { silentLog } from '../../kit/log.ts';
import { writeJson } from '../../providers/toolkit/json-file.ts';
import { checkFirstMachine, firstMachine } from '../../providers/contract/plan-first-machine.ts';
import type { Environ, Provider, ProviderConfig } from '../../providers/contract/provider.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import { dataPaths, type ControllerSettings } from './data-dir.ts';
import {
  createController,
  type ControllerFacts,
} from '../../controller/transactions/begin/create-controller.ts';
import { controllerHosts, hostBase, hostHardware } from './host.ts';
import { defined } from '../../core/defined.ts';
import { makeFolder } from '../../kit/make-folder.ts';

const defaultPort = 17070;

/**
 * Creates the controller's files, its first user and the model called `controller`. `passwordCost`: cost of the user's
 * password hash, for one that people have chosen; by default it is random. Errors: when there is a controller already.
 */
export async function initController(
  dataDir: string,
  config: InitConfig,
  providers: ReadonlyMap<string, Provider>,
  passwordCost?: ScryptCost,
): Promise<InitResult> {
  const paths = dataPaths(dataDir);
  await refuseExisting(dataDir);
  const provider = providerOf(config, providers);
  const retention = historyRevisions(config.config);
  checkQuotas(config.config);
  const { instance } = config;
  const cloudConfig = await provider.prepareForBootstrap(provider.validate(config.cloud.config ?? {}));
  const agentKey = randomBytes(32).toString('base64');
  const sealer = createSealer(createSecretKey(agentKey, 'base64'));
  const sealed = sealedFacts(sealer, provider, { config, cloudConfig });
  checkModelDefaults(provider, sealer, { name: config.cloud.name, config: sealed.cloudConfig });
  const uuid = instance?.controllerUuid ?? randomUUID();
  const modelUuid = instance?.modelUuid ?? randomUUID();
  const base = await hostBase();
  const environ = openFirst(provider, { config, cloudConfig, uuid, modelUuid, stateDir: paths.machines });
  const firstMachinePlan = await planFirst(environ, config, base);
  await makeFolder(dataDir, 0o700);

  const authority = await createAuthority({ now: Date.now(), uuid });
  const reachedBy = instance?.addresses.filter(({ scope }) => scope === 'public').map(({ value }) => value);
  const addresses = controllerHosts(reachedBy);
  const apiPort = await freePort(Number(config.config?.['api-port'] ?? defaultPort));
  const settings: ControllerSettings = {
    uuid,
    name: config.name,
    apiPort,
    ...defined({ reachedBy }),
    caCert: authority.certificate,
    caKey: authority.key,
    agentKey,
    ...retention,
  };
  const store = openSqliteStore<Entities>({
    path: paths.store,
    // The store is closed after one commit, which frees the log.
    logBytes: 0,
    ...documents,
    now: Date.now,
    newUuid: randomUUID,
  });
  const facts: ControllerFacts = {
    uuid,
    modelUuid,
    ...sealed,
    authTypes: Object.keys(provider.authTypes),
    passwordHash: passwordCost
      ? await hashPassword(config.adminPassword, passwordCost)
      : hashSecret(config.adminPassword),
    apiPort,
    host: { addresses, base, hardware: hostHardware() },
    machine: firstMachinePlan.machine,
  };
  await store.change((tx) => createController(tx, facts), 'bootstrap');
  await store.close();
  await writeJson(paths.settings, settings);
  return {
    uuid,
    modelUuid,
    caCert: authority.certificate,
    addresses: addresses.map((address) => hostPort(address, apiPort)),
    warnings: firstMachinePlan.warnings,
  };
}

/** Checks that the directory contains no controller. Errors: plain Error when it contains one. */
export async function refuseExisting(dataDir: string): Promise<void> {
  const exists = await access(dataPaths(dataDir).settings).then(
    () => true,
    () => false,
  );
  if (exists) throw new Error(`directory ${dataDir} already contains a controller`);
}

/** Finds the provider of the cloud. Errors: JujuError `not valid`. */
function providerOf({ cloud }: InitConfig, providers: ReadonlyMap<string, Provider>): Provider {
  const provider = providers.get(cloud.type);
  if (provider) return provider;
  throw new JujuError(
    'not valid',
    `cloud type "${cloud.type}" not supported, supported: ${[...providers.keys()].join(', ')}`,
  );
}

/** Plans machine 0 and its zone. An existing instance was checked before it was created. */
async function planFirst(
  environ: Environ,
  config: InitConfig,
  base: Base,
): Promise<{ machine: NonNullable<ControllerFacts['machine']>; warnings: readonly string[] }> {
  const { machine, warnings } = firstMachine(environ, {
    constraints: config.constraints ?? '',
    bootstrapConstraints: config.bootstrapConstraints ?? '',
    directive: config.placement ?? '',
  });
  const { instance } = config;
  const zone = instance
    ? instance.zone
    : (await checkFirstMachine(environ, machine, base, new AbortController().signal))[0];
  return { machine: { ...machine, ...defined({ zone }) }, warnings };
}

/** Returns the client's facts with sealed secrets. */
function sealedFacts(
  sealer: Sealer,
  provider: Provider,
  { config, cloudConfig }: { readonly config: InitConfig; readonly cloudConfig: ProviderConfig },
): Pick<ControllerFacts, 'cloudConfig' | 'config' | 'credential'> {
  const { credential, cloud, ...otherConfig } = config;
  return {
    config: {
      ...otherConfig,
      cloud,
      modelConfig: sealConfig(sealer, provider.config, config.modelConfig ?? {}),
    },
    cloudConfig: sealConfig(sealer, provider.config, {
      ...withDefaultBase(nonDefaultConfig(provider, cloudConfig, cloud.config ?? {})),
      ...config.modelDefaults,
    }),
    ...(credential ? { credential: sealedCredential(sealer, provider, credential) } : {}),
  };
}

function sealedCredential(
  sealer: Sealer,
  provider: Provider,
  { name, authType, attributes }: NonNullable<InitConfig['credential']>,
): NonNullable<ControllerFacts['credential']> {
  return {
    name,
    authType,
    attributes: sealAttributes(sealer, provider.authTypes[authType], attributes),
  };
}

/** Drops provider defaults that the user has not given, so that only explicit settings are stored. */
function nonDefaultConfig(
  provider: Provider,
  config: ProviderConfig,
  statedConfig: ProviderConfig,
): ProviderConfig {
  return Object.fromEntries(
    Object.entries(config).filter(
      ([key, value]) => Object.hasOwn(statedConfig, key) || value !== provider.config[key]?.default,
    ),
  );
}

/** Opens the environ of the model `controller`, as needed for the first machine's constraints. */
function openFirst(
  provider: Provider,
  {
    config,
    cloudConfig,
    ...ids
  }: {
    readonly config: InitConfig;
    readonly cloudConfig: ProviderConfig;
    readonly uuid: string;
    readonly modelUuid: string;
    readonly stateDir: string;
  },
): Environ {
  const { cloud, credential } = config;
  const providerSettings = Object.entries(config.modelConfig ?? {}).filter(([key]) => key in provider.config);
  return provider.open({
    cloud: {
      name: cloud.name,
      type: cloud.type,
      region: cloud.region,
      endpoint: cloud.endpoint ?? '',
      config: cloudConfig,
      ...defined({ caCertificates: cloud.caCertificates, skipTlsVerify: cloud.skipTlsVerify || undefined }),
      ...(credential
        ? { credential: { authType: credential.authType, attributes: credential.attributes } }
        : {}),
    },
    config: provider.validate({ ...cloudConfig, ...Object.fromEntries(providerSettings) }),
    controllerUuid: ids.uuid,
    modelUuid: ids.modelUuid,
    modelName: 'controller',
    stateDir: ids.stateDir,
    clock: systemClock,
    log: silentLog,
  });
}

/** Returns the setting `max-history-revisions`. Errors: a plain Error for an invalid one. */
function historyRevisions(config: InitConfig['config'] = {}): { historyRevisions?: number } {
  const setting = config['max-history-revisions'];
  if (setting === undefined) return {};
  const revisions = Number(setting);
  if (!Number.isSafeInteger(revisions) || revisions < 1)
    throw new Error(`max-history-revisions: expected a whole number above 0, got ${JSON.stringify(setting)}`);
  return { historyRevisions: revisions };
}

/** Checks the sizes among the settings. Errors: a plain Error for an invalid one. */
function checkQuotas(config: InitConfig['config'] = {}): void {
  for (const key of quotaSettings) {
    const size = Number(config[key] ?? 0);
    if (!Number.isSafeInteger(size) || size < 0)
      throw new Error(`${key}: expected a number of bytes, got ${JSON.stringify(config[key])}`);
  }
}

/** Returns the preferred port when it is free, else any; a port that was requested explicitly must be free. */
function freePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' && port === defaultPort ? resolve(freePort(0)) : reject(error),
    );
    probe.listen(port, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
