/** A controller for benchmarks: this process, real TLS, the embedded store, a cloud that starts nothing. */
import { createHash } from 'node:crypto';
import type { Connection } from '../src/client/connection.ts';
import type { Provider } from '../src/providers/provider.ts';
import { simulated } from '../src/providers/simulated/index.ts';
import { testController, type TestController } from '../src/testing/controller.ts';

/** Results are not checked against their schemas here: that is the tests' work. */
export function benchController(provider: Provider = simulated): Promise<TestController> {
  return testController(provider, { validate: false });
}

/** A charm without an archive, straight into the store: what is measured comes after the upload. */
export async function putCharm(controller: TestController, model: string): Promise<string> {
  const url = 'local:bench-0';
  await controller.running().store.change((tx) => {
    tx.in(model).put('charm', url, {
      url,
      name: 'bench',
      revision: 0,
      sha256: createHash('sha256').update('bench').digest('hex'),
      size: 1,
      version: '',
      meta: {
        name: 'bench',
        summary: 'bench',
        description: 'bench',
        subordinate: false,
        endpoints: {},
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

/** Answered when it is durable. */
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
