/**
 * Containers on local machines: sandboxes like the machines themselves, made within one of them by its agent. Nothing
 * of them is outside of their machine's namespaces, so they go when it goes.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { ContainerBroker } from '../provider.ts';
import { probeCapabilities } from './capabilities.ts';
import { containerTypes } from './config.ts';
import { Machines } from './instances.ts';
import { createLocks } from './locks.ts';
import { findNestedCgroups } from './nested-cgroups.ts';
import { nestedWiring } from './nested-wiring.ts';
import { containersAt, hiddenAt, lowerAt, toolsAt } from './places.ts';

export interface NestedParams {
  readonly controllerUuid: string;
  readonly modelUuid: string;
  /** The machine's `/var/lib/juju`. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Undefined: this is no machine of the local provider, or one in which no containers can be made (they show their
 * lower root file systems only where their host has found that it can give them a network of their own).
 */
export async function createNestedBroker(params: NestedParams): Promise<ContainerBroker | undefined> {
  if (!existsSync(lowerAt)) return undefined;
  const stateDir = join(params.dataDir, containersAt);
  const cgroups = await findNestedCgroups();
  const capabilities = probeCapabilities(stateDir, lowerAt, () => cgroups);
  if (!capabilities.network) return undefined;
  const hidden = (await readFile(hiddenAt, 'utf8')).split('\n').filter(Boolean);
  const machines = new Machines({
    open: {
      cloud: { name: 'local', type: 'local', region: 'localhost', endpoint: '', config: {} },
      config: {},
      controllerUuid: params.controllerUuid,
      modelUuid: params.modelUuid,
      modelName: '',
      stateDir,
      privateDirs: hidden,
      clock: params.clock,
      log: params.log,
    },
    capabilities,
    init: 'minimal',
    locks: createLocks(),
    site: () => ({ wiring: nestedWiring(), lower: lowerAt, containers: false }),
  });
  return {
    types: containerTypes,
    instances: {
      // The tools are where every machine has them, whatever the controller's host calls that place.
      start: (start, signal) =>
        machines.start({ ...start, agent: { ...start.agent, toolsDir: toolsAt } }, signal),
      stop: (ids, signal) => machines.stop(ids, signal),
      list: () => machines.list(),
      get: (ids) => machines.get(ids),
    },
  };
}
