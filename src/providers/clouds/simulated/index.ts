import { JujuError } from '../../../core/errors.ts';
import { zoneConflict } from '../../../core/machine/choose-zone.ts';
import { onlyZoneOf } from '../../../core/placement.ts';
import { withFirewallMode } from '../../toolkit/global-firewall.ts';
import {
  tagKeys,
  type Environ,
  type Instance,
  type OpenParams,
  type Provider,
} from '../../contract/provider.ts';
import { SimulatedCloud } from './cloud.ts';
import { boilerplate, configSchema, constraints, validate } from './config.ts';
import { groupMax, SimulatedInstances } from './instances.ts';
import { simulatedVolumes } from './volumes.ts';

export { releasedVolumes, volumeName, type SimulatedVolume } from './volumes.ts';
export {
  SimulatedCloud,
  operations,
  type Fault,
  type Operation,
  type SimulatedCloudOptions,
  type VolumeEnd,
} from './cloud.ts';

/**
 * Creates a provider of simulated clouds for tests, scale runs and experiments: nothing runs, and any call can be made
 * to fail.
 */
export function createSimulatedProvider(cloud: SimulatedCloud = new SimulatedCloud()): Provider {
  return {
    type: 'simulated',
    description: 'A simulated cloud for experiments.',
    authTypes: { empty: {} },
    controllerOn: 'this host',
    firewallModes: ['instance', 'global', 'none'],
    config: configSchema,
    prepareForBootstrap: (config) => Promise.resolve(config),
    prepareForModel: (config) => Promise.resolve(config),
    validate,
    boilerplate: () => boilerplate,
    open: (params) => withFirewallMode(environ(cloud, params), params),
  };
}

export const simulated: Provider = createSimulatedProvider();

function environ(cloud: SimulatedCloud, open: OpenParams): Environ {
  const instances = new SimulatedInstances(cloud, open);
  const eachModel = async (): Promise<SimulatedInstances[]> =>
    (await cloud.models(open.stateDir)).map(
      (modelUuid) => new SimulatedInstances(cloud, { ...open, modelUuid }),
    );
  return {
    instances: {
      start: (params, signal) => instances.start(params, signal),
      stop: (ids, signal) => instances.stop(ids, signal),
      list: (signal) => instances.list(signal),
      get: (ids, signal) => instances.get(ids, signal),
      controllers: async (signal) => {
        const found: Instance[] = [];
        for (const model of await eachModel()) found.push(...(await model.list(signal)));
        return found.filter((instance) => instance.tags[tagKeys.isController] === 'true');
      },
    },
    startGroup: { max: groupMax, start: (params, signal) => instances.startGroup(params, signal) },
    containers: {
      types: ['lxd'],
      takeAddress: (machineId, signal) => instances.takeAddress(machineId, signal),
      releaseAddresses: (machineIds, signal) => instances.releaseAddresses(machineIds, signal),
    },
    constraints,
    precheck: async ({ placement, constraints: wanted }) => {
      const placed = onlyZoneOf(placement);
      if (placed === undefined) return;
      const zones = instances.zoneNames().map((name) => ({ name }));
      if (!zones.some(({ name }) => name === placed))
        throw new JujuError('not valid', `availability zone "${placed}" not valid`);
      const conflict = zoneConflict(zones, { constraints: wanted, placed });
      if (conflict !== undefined) throw new JujuError('not valid', conflict);
    },
    storage: simulatedVolumes(cloud, open, instances),
    networks: { subnets: (signal) => instances.subnets(signal) },
    profiles: { assign: (id, profiles, signal) => instances.assignProfiles(id, profiles, signal) },
    zones: { list: (signal) => instances.zones(signal) },
    firewall: {
      mode: 'instance',
      set: (id, rules, signal) => instances.setRules(id, rules, signal),
      rules: (id, signal) => instances.rules(id, signal),
    },
    migration: {
      ticket: open.stateDir,
      check: () => Promise.resolve(),
      adopt: (from, signal) => instances.adopt(from, signal),
    },
    create: (signal) => instances.create(signal),
    destroyModel: (signal) => instances.destroy(signal),
    destroyController: async (signal) => {
      for (const model of await eachModel()) await model.destroy(signal);
    },
  };
}
