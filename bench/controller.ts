/** Controller for benchmarks: in this process, with real TLS, the embedded store, and a cloud that starts nothing. */
import { createHash } from 'node:crypto';
import type { Connection } from '../src/client/connection.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  SimulatedCloud,
  createSimulatedProvider,
  type SimulatedCloudOptions,
} from '../src/providers/clouds/simulated/index.ts';
import { testController, type TestController } from '../src/testing/controller.ts';

/** Creates a cloud with one zone and no latency by default. */
export function benchCloud(options: SimulatedCloudOptions = {}): SimulatedCloud {
  return new SimulatedCloud({ latencyMs: 0, zones: ['zone'], ...options });
}

/**
 * Creates a controller. Results are not validated, which is left to the tests. The cloud saves nothing, because saving
 * simulated machines is not the controller's work.
 */
export function benchController(
  cloud = benchCloud(),
  /** Returns, when asked about a model for the first time, whether several machines can be started in one request. */
  hasGroups = (): boolean => true,
): Promise<TestController> {
  const provider = createSimulatedProvider(cloud);
  const open: typeof provider.open = (params) => {
    const { startGroup, ...environ } = provider.open({ ...params, stateDir: '' });
    return startGroup && hasGroups() ? { ...environ, startGroup } : environ;
  };
  return testController({ ...provider, open }, { validate: false });
}

/** Waits until every machine of the model has its instance, so that the next measurement has the processor alone. */
export async function provisioned(controller: TestController, model: string): Promise<void> {
  const view = controller.running().store.read().in(model);
  while (view.count('machine', 'unprovisioned', 'unprovisioned') > 0) await sleep(20);
  await sleep(100);
}

/**
 * Puts a charm directly into the store: measurements begin after the upload. `peers`: its units are related to each
 * other. `archive`: the stored file of the charm; without it, it has none.
 */
export async function putCharm(
  controller: TestController,
  model: string,
  {
    peers = false,
    name = peers ? 'bench-peers' : 'bench',
    archive = { sha256: createHash('sha256').update(name).digest('hex'), size: 1 },
  }: { peers?: boolean; name?: string; archive?: { readonly sha256: string; readonly size: number } } = {},
): Promise<string> {
  const url = `local:${name}-0`;
  const ring = {
    name: 'ring',
    role: 'peer',
    interface: 'ring',
    scope: 'global',
    limit: 0,
    optional: false,
  } as const;
  await controller.running().store.change((tx) => {
    tx.in(model).put('charm', url, {
      url,
      name,
      revision: 0,
      ...archive,
      version: '',
      meta: {
        name,
        summary: 'bench',
        description: 'bench',
        subordinate: false,
        endpoints: peers ? { ring } : {},
        tags: [],
        terms: [],
        minJujuVersion: '',
        series: [],
        storage: {},
        resources: {},
        extraBindings: [],
        assumes: [],
      },
      config: {},
      actions: {},
      bases: [{ name: 'ubuntu', channel: '24.04/stable' }],
      uploadedAt: tx.now,
    });
  }, 'bench');
  return url;
}

/** Deploys an application; resolves when the change is durable. */
export async function deploy(
  connection: Connection,
  { application, charm, units }: { application: string; charm: string; units: number },
): Promise<void> {
  const { results } = await connection.call<{ results: { error?: { message: string } }[] }>(
    'Application',
    'Deploy',
    {
      applications: [
        {
          application,
          'charm-url': charm,
          'charm-origin': {
            source: 'local',
            type: 'charm',
            architecture: 'amd64',
            base: { name: 'ubuntu', channel: '24.04/stable' },
          },
          'num-units': units,
          constraints: {},
        },
      ],
    },
  );
  if (results[0]?.error) throw new Error(results[0].error.message);
}
