/**
 * Containers on local machines: sandboxes like the machines themselves, made within one of them by its agent. Nothing
 * of them is outside of their machine's namespaces, so they go when it goes.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { ProviderError, type ContainerBroker } from '../provider.ts';
import { probeCapabilities } from './capabilities.ts';
import { containerTypes } from './config.ts';
import { Machines } from './instances.ts';
import { createLocks } from '../../kit/locks.ts';
import { findNestedCgroups } from './nested-cgroups.ts';
import { nestedWiring } from './nested-wiring.ts';
import { modelFolder } from './record.ts';
import { containersAt, hiddenAt, imagesAt, lowerAt, toolsAt } from './places.ts';

export interface NestedParams {
  readonly controllerUuid: string;
  readonly modelUuid: string;
  /** The machine's `/var/lib/juju`. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Undefined: this is no machine of the local provider, or one that containers get no network of their own on: only
 * where they do, a machine shows its lower root file system. What else they need is made and tried when the first
 * is started: most machines never have one.
 */
export function createNestedBroker(params: NestedParams): ContainerBroker | undefined {
  if (!existsSync(lowerAt)) return undefined;
  const stateDir = join(params.dataDir, containersAt);
  let opened: Promise<Machines> | undefined;
  const open = async (): Promise<Machines> => {
    try {
      return await (opened ??= openMachines(params, stateDir));
    } catch (error) {
      // What it lacks may be installed.
      opened = undefined;
      throw error;
    }
  };
  const openAny = (): Promise<Machines> | undefined =>
    existsSync(modelFolder(stateDir, params.modelUuid)) ? open() : undefined;
  return {
    types: containerTypes,
    instances: {
      async start(start, signal) {
        const machines = await open();
        // The tools are where every machine has them, whatever the controller's host calls that place.
        return await machines.start({ ...start, agent: { ...start.agent, toolsDir: toolsAt } }, signal);
      },
      stop: async (ids, signal) => (await openAny())?.stop(ids, signal),
      list: async () => (await openAny())?.list() ?? [],
      get: async (ids) => (await openAny())?.get(ids) ?? ids.map(() => undefined),
    },
  };
}

/** Errors: ProviderError `bad request` with what to do, where this machine can have none. */
async function openMachines(params: NestedParams, stateDir: string): Promise<Machines> {
  const cgroups = await findNestedCgroups();
  const capabilities = probeCapabilities(stateDir, lowerAt, () => cgroups);
  if (!capabilities.network) {
    throw new ProviderError(
      'bad request',
      'this machine cannot have containers: its root file system must have util-linux, iproute2 and nftables, and its host Linux 5.8 or newer',
    );
  }
  const hidden = (await readFile(hiddenAt, 'utf8')).split('\n').filter(Boolean);
  return new Machines({
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
    site: () => ({
      wiring: nestedWiring(),
      zones: { names: [], unavailable: [] },
      within: true,
      containers: false,
      roots: { own: lowerAt, whose: "its machine's", images: imagesAt, sandboxes: true, mismatch: 'warn' },
    }),
  });
}
