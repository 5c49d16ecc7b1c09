/**
 * Containers on machines of local and LXD: sandboxes like local machines, created inside a machine by its agent. All
 * their resources are in the machine's namespaces, so they are removed with it.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import type { Log } from '../../../kit/log.ts';
import { ProviderError, type ContainerBroker, type MachineTraits } from '../../contract/provider.ts';
import { probeCapabilities } from './capabilities.ts';
import { containerTypes } from './config.ts';
import { Machines } from './instances.ts';
import { createLocks } from '../../../kit/locks.ts';
import { findNestedCgroups } from './nested-cgroups.ts';
import { checkDefaultRoute, nestedWiring } from './nested-wiring.ts';
import { modelFolder } from './record.ts';
import { freeMemory } from './size.ts';
import { containersAt, hiddenAt, imagesAt, lowerAt, toolsAt } from './places.ts';

interface NestedParams {
  readonly controllerUuid: string;
  readonly modelUuid: string;
  /** Trait of the machine's provider that permits containers. */
  readonly nested: MachineTraits['nested'];
  /** Path of the machine's `/var/lib/juju`. */
  readonly dataDir: string;
  /** Folder that the agent runs from. */
  readonly toolsDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Resources of a machine for containers on it. */
interface Ground {
  /** Root file system below the containers. */
  readonly lower: string;
  readonly toolsDir: string;
  /** Folders that containers may not see. */
  hidden(): Promise<readonly string[]>;
  /** True when users are not on the host of the machine, and reach its containers by ssh alone. */
  readonly sshServer: boolean;
}

/**
 * Creates the broker; undefined when this machine cannot have containers. A local machine can when it exposes its lower
 * root file system, i.e. when containers get a network. An LXD instance has no layers: its containers start from its
 * own files. Other requirements are checked when the first container is started, since most machines never have one.
 */
export function createNestedBroker(params: NestedParams): ContainerBroker | undefined {
  const ground = groundOf(params);
  if (!ground) return undefined;
  const stateDir = join(params.dataDir, containersAt);
  let opened: Promise<Machines> | undefined;
  const open = async (): Promise<Machines> => {
    try {
      return await (opened ??= openMachines(params, stateDir, ground));
    } catch (error) {
      // A retry may succeed after missing programs are installed.
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
        // The path of the tools is this machine's, which differs from that on the controller's host.
        const agent = { ...start.agent, toolsDir: ground.toolsDir };
        return await machines.start({ ...start, agent }, signal);
      },
      stop: async (ids, signal) => (await openAny())?.stop(ids, signal),
      list: async () => (await openAny())?.list() ?? [],
      get: async (ids) => (await openAny())?.get(ids) ?? ids.map(() => undefined),
    },
  };
}

function groundOf({ nested, toolsDir }: NestedParams): Ground | undefined {
  if (nested === 'own root')
    return { lower: '/', toolsDir, hidden: () => Promise.resolve([]), sshServer: true };
  if (nested !== 'lower root' || !existsSync(lowerAt)) return undefined;
  return {
    lower: lowerAt,
    toolsDir: toolsAt,
    hidden: async () => (await readFile(hiddenAt, 'utf8')).split('\n').filter(Boolean),
    sshServer: false,
  };
}

/**
 * Opens the machines of this site. Errors: ProviderError `bad request` with advice, where containers are not possible.
 */
async function openMachines(params: NestedParams, stateDir: string, ground: Ground): Promise<Machines> {
  const cgroups = await findNestedCgroups();
  const capabilities = probeCapabilities(stateDir, ground.lower, () => cgroups);
  if (!capabilities.network) {
    throw new ProviderError(
      'bad request',
      'this machine cannot have containers: its root file system must have util-linux, iproute2 and nftables, and its host Linux 5.8 or newer',
    );
  }
  const hidden = await ground.hidden();
  // Machines whose network is not up yet are tried again.
  await checkDefaultRoute();
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
    freeMemory,
    init: 'minimal',
    locks: createLocks(),
    site: () => ({
      wiring: nestedWiring(),
      zones: { names: [], unavailable: [] },
      within: true,
      containers: false,
      sshServer: ground.sshServer,
      roots: {
        own: ground.lower,
        whose: "its machine's",
        images: imagesAt,
        sandboxes: true,
        mismatch: 'warn',
      },
    }),
  });
}
