import { timeLimit } from '../../../kit/clock.ts';
import { createLocks } from '../../../kit/locks.ts';
import { silentLog } from '../../../kit/log.ts';
import { withFirewallMode } from '../../toolkit/global-firewall.ts';
import type { Environ, Provider } from '../../contract/provider.ts';
import { adoption } from './adopt.ts';
import { authTypes, boilerplate, configSchema, constraints, validateConfig } from './config.ts';
import { createLxdContainers } from './containers.ts';
import { createContext, type LxdContext } from './context.ts';
import { accessForController } from './controller-access.ts';
import { finalizeCredential } from './credentials.ts';
import { detect } from './detect.ts';
import { createDownloads } from './downloads.ts';
import { classified } from './errors.ts';
import { machines } from './machines.ts';
import { localCloud } from './names.ts';
import { listNetworks } from './nics.ts';
import { destroyController, destroyModel, listControllers, partsOf } from './parts.ts';
import { checkProject, precheck } from './precheck.ts';
import { listZones } from './zones.ts';

/** Time limit of the precheck in milliseconds: a user waits for the answer. */
const precheckMs = 20_000;

/** Creates the provider of containers and virtual machines on an LXD server or cluster, which uses its REST API. */
export function createLxdProvider(): Provider {
  const shared = { locks: createLocks(), downloads: createDownloads() };
  return {
    type: 'lxd',
    description: 'Containers and virtual machines of LXD.',
    authTypes,
    controllerOn: 'instance',
    firewallModes: ['instance', 'global', 'none'],
    config: configSchema,
    builtinCloud: {
      name: localCloud,
      aliases: ['lxd'],
      description: 'The LXD of this host',
      regions: [localCloud],
    },
    endpoint: {
      description: 'the address of the LXD server (https://host:8443); empty: this host',
      optional: true,
    },
    detect,
    finalizeCredential,
    cloudForController: (cloud, params) => accessForController(cloud, { ...params, log: silentLog }),
    prepareForBootstrap: (config) => Promise.resolve(config),
    prepareForModel: (config) => Promise.resolve(config),
    machines,
    validate: validateConfig,
    boilerplate: () => boilerplate,
    open: (params) => withFirewallMode(environ(createContext(params, shared)), params),
  };
}

export const lxd: Provider = createLxdProvider();

function environ(context: LxdContext): Environ {
  const { client, open } = context;
  const { instances, profiles, volumes, firewall, server, images } = partsOf(context);
  return {
    delivery: 'download',
    instances: {
      start: (params, signal) => instances.start(params, signal),
      stop: (ids, signal) => instances.stop(ids, signal),
      list: (signal) => instances.list('model', signal),
      get: (ids, signal) => instances.get(ids, signal),
      controllers: (signal) => listControllers(context, signal),
    },
    bootstrap: (params, signal) => instances.start(params, signal),
    containers: createLxdContainers(context),
    profiles: { assign: (id, charms, signal) => profiles.assign(id, charms, signal) },
    storage: volumes,
    constraints,
    async precheck(params) {
      const limit = timeLimit(open.clock, precheckMs);
      try {
        await precheck({ context, server, images }, params, limit.signal);
      } finally {
        limit.done();
      }
    },
    networks: {
      subnets: async (signal) =>
        (await classified(listNetworks(client, signal))).flatMap(({ subnets }) => subnets),
    },
    zones: { list: (signal) => classified(listZones(client, signal)) },
    firewall: {
      mode: 'instance',
      set: (id, rules, signal) => firewall.set(id, rules, signal),
      rules: (id, signal) => firewall.rules(id, signal),
    },
    migration: adoption(context),
    create: (signal) => classified(checkProject(context, signal)),
    destroyModel: (signal) => destroyModel(context, signal),
    destroyController: (signal) => destroyController(context, signal),
  };
}
