import { JujuError } from '../../core/errors.ts';
import type { Environ, Provider } from '../provider.ts';
import { probeCapabilities, type Capabilities } from './capabilities.ts';
import {
  boilerplate,
  configSchema,
  constraintsFor,
  containerTypes,
  hostArch,
  validateConfig,
} from './config.ts';
import { destroyEveryModel, listControllers, Machines, type MachinesParams } from './instances.ts';
import { createLocks } from './locks.ts';
import { chooseInit } from './sandbox.ts';
import { hostWiring, releaseContainerAddresses, takeContainerAddress } from './wiring.ts';

/**
 * Machines as sandboxes on the controller's own host, with no daemon and no image: overlayfs over the host's root,
 * namespaces, a cable to a bridge, a firewall, limits. Where the host gives less, less: each machine says what
 * isolates it. It keeps a charm's work apart from the host's; it does not hold back a hostile root.
 */
export function createLocalProvider({
  probe = probeCapabilities,
}: { probe?: (stateDir: string) => Capabilities } = {}): Provider {
  const locks = createLocks();
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
    config: configSchema,
    builtinCloud: { name: 'local', description: 'Sandboxes on this host', regions: ['localhost'] },
    prepareForBootstrap: (config) => Promise.resolve(config),
    prepareForModel: (config) => Promise.resolve(config),
    validate: validateConfig,
    boilerplate: () => boilerplate,
    open: (params) =>
      environ({
        open: params,
        capabilities: capabilitiesOf(params.stateDir),
        init: chooseInit(params.config['init']),
        locks,
        site: (open) => ({
          wiring: capabilitiesOf(open.stateDir).network ? hostWiring({ open, locks }) : undefined,
          lower: '/',
          containers: capabilitiesOf(open.stateDir).network,
        }),
      }),
  };
}

export const local: Provider = createLocalProvider();

function environ(params: MachinesParams): Environ {
  const machines = new Machines(params);
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
        }
      : {}),
    constraints: constraintsFor(hostArch(), params.capabilities.network ? containerTypes : []),
    precheck,
    firewall: params.capabilities.network
      ? {
          mode: 'instance',
          set: (id, rules) => machines.setRules(id, rules),
          rules: (id) => machines.rules(id),
        }
      : { mode: 'none' },
    enter: (id, options) => machines.enter(id, options),
    create: () => machines.create(),
    destroyModel: (signal) => machines.destroy(signal),
    destroyController: (signal) => destroyEveryModel(params, signal),
  };
}

const precheck: Environ['precheck'] = async ({ constraints, placement }) => {
  if (placement) throw new JujuError('not valid', `unknown placement directive: ${placement}`);
  if (constraints.arch !== undefined && constraints.arch !== hostArch()) {
    throw new JujuError('not valid', `machines of this host are ${hostArch()}, not ${constraints.arch}`);
  }
};
