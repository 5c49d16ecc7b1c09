/** Composition of a controller from its parts, without the listener that accepts its connections. */
import { facades } from '../../controller/facades/index.ts';
import {
  createContext,
  type ContextOptions,
  type CreatedContext,
} from '../../controller/server/create-context.ts';
import { createPresence } from '../../controller/server/presence.ts';
import { createRegistry } from '../../controller/server/registry.ts';
import { ResourceDownloads } from '../../controller/resources/downloads.ts';
import { noControllers, type OtherControllers } from '../../controller/other-controllers.ts';
import { migrationServices } from '../../controller/migration/services.ts';
import { createSealer } from '../../controller/sealer.ts';
import { ExternalBackends } from '../../controller/secret-backends/backends.ts';
import type { VaultTransport } from '../../controller/secret-backends/vault-http.ts';
import { InternalBackend } from '../../controller/secret-backends/internal.ts';
import { SecretContents } from '../../controller/secret-contents.ts';
import type { Services } from '../../controller/services.ts';
import { createDispatch } from '../../controller/watchers/dispatch.ts';
import { startModelWorkers } from '../../controller/workers/model-workers.ts';
import type { Entities } from '../../core/kinds.ts';
import { indexes } from '../../core/documents.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import { hostPort } from '../../core/host-port.ts';
import { createLog, type Log, type LogSink } from '../../kit/log.ts';
import type { ContentStore } from '../../store/contents.ts';
import type { Store } from '../../store/store.ts';
import { Environs } from './environs.ts';
import { defined } from '../../core/defined.ts';

export interface ControllerParts
  extends
    Pick<Services, 'clock' | 'nextTurn' | 'turns' | 'random' | 'blobs' | 'logs' | 'providers'>,
    Pick<Services, 'agentKey' | 'caCert' | 'toolsDir' | 'bundles' | 'reportFiles' | 'uploadsDir'>,
    Pick<Services, 'agentBuild' | 'backups' | 'between' | 'forecasts' | 'programs' | 'randomBytes'>,
    Partial<Pick<Services, 'arrivingContents'>>,
    Pick<ContextOptions, 'audit' | 'validate' | 'passwords'> {
  /** Store that contains a controller's documents. */
  readonly store: Store<Entities>;
  /** Contents of secrets, which outlive the process as the store does. */
  readonly contents: ContentStore;
  /** How other controllers are reached; default: none is. */
  readonly elsewhere?: OtherControllers;
  /** How requests reach a Vault server; default: by HTTP. */
  readonly vaultTransport?: VaultTransport;
  /** Receives log records in addition to the controller model's own log. */
  readonly onLog: LogSink;
  /** Host names and addresses of the controller. */
  readonly hosts: readonly string[];
  readonly apiPort: number;
  /** Folder for the providers' files, '' = none. */
  readonly stateDir: string;
  /** Data directory of the controller, hidden from machines. */
  readonly dataDir: string;
}

export interface ComposedController extends CreatedContext {
  readonly services: Services;
  startWorkers(): void;
  /** Stops workers, then calls `connectionsEnd`, then ends watchers. The store stays open. */
  stop(connectionsEnd: () => Promise<void>): Promise<void>;
}

export function composeController(parts: ControllerParts): ComposedController {
  const { store } = parts;
  const presence = createPresence(parts.clock);
  const services = servicesOf(parts, presence);
  const created = createContext({
    store,
    services,
    presence,
    facades: createRegistry(facades),
    ...defined({ audit: parts.audit, validate: parts.validate, passwords: parts.passwords }),
  });
  const endEvents = store.watch((commit) => created.context.security.changed(commit));
  let workers: { stop(): Promise<void> } | undefined;
  return {
    ...created,
    services,
    startWorkers() {
      workers ??= startModelWorkers({ store, services });
    },
    async stop(connectionsEnd) {
      // A backup that a worker waits for ends, too.
      await Promise.all([services.backups?.stop(), workers?.stop()]);
      await connectionsEnd();
      services.dispatch.stop();
      endEvents();
    },
  };
}

/** Creates the shared services. Errors: a plain Error when the store is not a controller's. */
function servicesOf(parts: ControllerParts, presence: ReturnType<typeof createPresence>): Services {
  const { store, clock, logs, providers, apiPort, stateDir, dataDir } = parts;
  const controller = store.read().get('controller', 'self');
  if (!controller) throw new Error('the store contains no controller');
  const log = controllerLog(parts, controller.modelUuid);
  const sealer = createSealer(parts.agentKey, parts.randomBytes);
  const secretBackends = new ExternalBackends({
    store,
    sealer,
    clock,
    ...defined({ transport: parts.vaultTransport }),
  });
  const environs = new Environs({ store, providers, stateDir, dataDir, sealer, clock, log });
  const addresses = parts.hosts.map((address) => hostPort(address, apiPort));
  return {
    clock,
    nextTurn: parts.nextTurn,
    turns: parts.turns,
    log,
    random: parts.random,
    blobs: parts.blobs,
    logs,
    dispatch: createDispatch(store, indexes),
    presence: {
      // This process is the agent of the controller's own machine.
      isPresent: (model, machine) =>
        (model === controller.modelUuid && machine === '0') || presence.isPresent(model, machine),
      absentSince: (model, machine) => presence.absentSince(model, machine),
      isAwaited: (model, machine) => presence.isAwaited(model, machine),
      heardAt: (model, machine) => presence.heardAt(model, machine),
      watch: (onChange) => presence.watch(onChange),
    },
    providers,
    environ: (model, reader) => environs.environ(model, reader),
    environOf: (model, credential) => environs.environOf(model, credential),
    tryCredential: (model, credential, signal) => environs.tryCredential(model, credential, signal),
    addresses,
    agentAddresses: async (model) => {
      const ownAddress = await environs.environ(model, store.read().in(model)).controllerAddress?.();
      return ownAddress === undefined
        ? addresses
        : [...new Set([hostPort(ownAddress, apiPort), ...addresses])];
    },
    agentKey: parts.agentKey,
    version: jujuVersion,
    caCert: parts.caCert,
    toolsDir: parts.toolsDir,
    bundles: parts.bundles,
    reportFiles: parts.reportFiles,
    ...defined({
      agentBuild: parts.agentBuild,
      backups: parts.backups,
      between: parts.between,
      forecasts: parts.forecasts,
      programs: parts.programs,
      randomBytes: parts.randomBytes,
    }),
    downloads: new ResourceDownloads(),
    uploadsDir: parts.uploadsDir,
    sealer,
    secretBackends,
    elsewhere: parts.elsewhere ?? noControllers,
    ...migrationServices(parts),
    ...defined({ arrivingContents: parts.arrivingContents }),
    secretContents: new SecretContents({
      internal: new InternalBackend(parts.contents, sealer),
      external: (id) => secretBackends.get(id),
      sealer,
    }),
  };
}

/** Creates a log that writes to the process' log and to that of the controller's own model. */
function controllerLog({ onLog, logs, clock }: ControllerParts, modelUuid: string): Log {
  return createLog(
    'grigri',
    (record) => {
      onLog(record);
      const { time, level, module, message } = record;
      const line = { ts: time, tag: 'machine-0', sev: level, mod: module, loc: '', msg: message };
      if (level !== 'TRACE') logs.append(modelUuid, [line]);
    },
    () => clock.now(),
  );
}
