import { restartAgent } from './restart-agent.ts';
import { rm } from 'node:fs/promises';
import { JujuError } from '../../../core/errors.ts';
import { withFirewallMode } from '../../toolkit/global-firewall.ts';
import type { Environ, Provider } from '../../contract/provider.ts';
import { probeCapabilities, type Capabilities } from './capabilities.ts';
import {
  baseMismatchOf,
  boilerplate,
  configSchema,
  constraintsFor,
  containerTypes,
  hostArch,
  validate,
  zonesOf,
} from './config.ts';
import { destroyEveryModel, listControllers } from './every-model.ts';
import { Machines } from './instances.ts';
import { createImages, imagesFolder } from './images.ts';
import { createLocks } from '../../../kit/locks.ts';
import { machines } from './machines.ts';
import { listModels, listUsedImages } from './record.ts';
import { precheckBase, usableBases } from './roots.ts';
import type { MachinesParams } from './site.ts';
import { checkSize, freeMemory } from './size.ts';
import { createVolumes } from './volumes.ts';
import { hostWiring, releaseContainerAddresses, takeContainerAddress } from './wiring.ts';
import { precheckZones } from './zones.ts';
import { adoption } from './adopt.ts';

/**
 * Creates the provider of machines as sandboxes on the controller's own host, without a daemon or images: overlayfs
 * over the host's root, namespaces, a virtual cable to a bridge, a firewall, limits. Isolation is reduced where the
 * host permits less, and each machine reports what it has. Sandboxes separate a charm's work from the host's; they do
 * not contain a hostile root.
 */
export function createLocalProvider({
  probe = probeCapabilities,
  freeMemory: free = freeMemory,
}: { probe?: (stateDir: string) => Capabilities; freeMemory?: () => number } = {}): Provider {
  const locks = createLocks();
  const adding = new Set<string>();
  const probed = new Map<string, Capabilities>();
  const capabilitiesOf = (stateDir: string): Capabilities => {
    const known = probed.get(stateDir) ?? probe(stateDir);
    probed.set(stateDir, known);
    return known;
  };
  return {
    type: 'local',
    description: 'Machines as sandboxes on this host.',
    authTypes: { empty: {} },
    controllerOn: 'this host',
    firewallModes: ['instance', 'global', 'none'],
    config: configSchema,
    builtinCloud: { name: 'local', description: 'Sandboxes on this host', regions: ['localhost'] },
    prepareForBootstrap: (config) => Promise.resolve(config),
    prepareForModel: (config) => Promise.resolve(config),
    validate,
    boilerplate: () => boilerplate,
    machines,
    open(params) {
      const here = environ(adding, {
        open: params,
        capabilities: capabilitiesOf(params.stateDir),
        init: params.config['init'],
        locks,
        freeMemory: free,
        site: (open) => ({
          wiring: capabilitiesOf(open.stateDir).network ? hostWiring({ open, locks }) : undefined,
          roots: {
            own: '/',
            whose: "this host's",
            images: imagesFolder(open.stateDir),
            sandboxes: capabilitiesOf(open.stateDir).sandbox,
            mismatch: baseMismatchOf(open.config),
          },
          zones: zonesOf(open.config),
          within: false,
          containers: capabilitiesOf(open.stateDir).network,
          sshServer: false,
        }),
      });
      return withFirewallMode(here, params);
    },
  };
}

export const local: Provider = createLocalProvider();

/** Opens the environment of a model. `adding`: see createImages. */
function environ(adding: Set<string>, params: MachinesParams): Environ {
  const machines = new Machines(params);
  const { roots, zones } = params.site(params.open);
  const { stateDir, clock } = params.open;
  const images = createImages({
    folder: roots.images,
    sandboxes: roots.sandboxes,
    usedImages: () => listUsedImages(stateDir),
    locks: params.locks,
    adding,
    clock,
  });
  return {
    instances: {
      start: (start, signal) => machines.start(start, signal),
      stop: (ids, signal) => machines.stop(ids, signal),
      list: () => machines.list(),
      get: (ids) => machines.get(ids),
      controllers: () => listControllers(params),
    },
    ...(params.capabilities.network
      ? {
          containers: {
            types: containerTypes,
            takeAddress: (machineId) => takeContainerAddress(params, machineId),
            releaseAddresses: (machineIds) => releaseContainerAddresses(params, machineIds),
          },
          networks: { subnets: () => machines.subnets() },
        }
      : {}),
    storage: createVolumes({
      open: params.open,
      locks: params.locks,
      loops: params.capabilities.loops,
      machine: (id) => machines.withVolumes(id),
      prepare: () => machines.create(),
    }),
    ...(!params.capabilities.loops && { noLoops: 'machines of this host cannot have any' }),
    constraints: constraintsFor(hostArch(), params.capabilities.network ? containerTypes : [], zones.names),
    images,
    ...(zones.names.length > 0
      ? {
          zones: {
            list: () =>
              Promise.resolve(
                zones.names.map((name) => ({ name, available: !zones.unavailable.includes(name) })),
              ),
          },
        }
      : {}),
    bases: () => usableBases(roots),
    async precheck({ base, constraints, placement }) {
      precheckZones(zones, { placement, constraints });
      if (constraints.arch && constraints.arch !== hostArch())
        throw new JujuError('not valid', `machines of this host are ${hostArch()}, not ${constraints.arch}`);
      await checkSize(constraints, params.capabilities.cgroups, roots.whose);
      await precheckBase(roots, base);
    },
    firewall: params.capabilities.network
      ? {
          mode: 'instance',
          set: (id, rules) => machines.setRules(id, rules),
          rules: (id) => machines.rules(id),
        }
      : { mode: 'none' },
    enter: (id, options) => machines.enter(id, options),
    restartAgent: async (id, machineId) => restartAgent(await machines.enter(id, { tty: false }), machineId),
    migration: adoption(params),
    create: () => machines.create(),
    async destroyModel(signal) {
      await machines.destroy(signal);
      await images.sweep();
    },
    async destroyController(signal) {
      await destroyEveryModel(params, signal);
      if ((await listModels(stateDir)).length === 0) await rm(roots.images, { recursive: true, force: true });
    },
  };
}
