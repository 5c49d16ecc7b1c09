/** Machine's agent with a real charm, against a real controller over TLS, for tests that declare it once. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { MachineAgent } from '../agent/machine/machine-agent.ts';
import type { Connection } from '../client/connection.ts';
import { defined } from '../core/defined.ts';
import { createSimulatedProvider, SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { testController, type TestController } from './controller.ts';
import { startMachineAgent } from './start-machine-agent.ts';

export class CharmAgent {
  readonly #agents: MachineAgent[] = [];
  #controller!: TestController;
  /** Configuration with which the agent starts for the first time. */
  #conf = '';
  /** Folder of the machines, and of files that tests put beside them. */
  dir = '';
  model = '';
  /** Connection of the user `admin` to the model. */
  admin!: Connection;
  /** Log lines of the agents. */
  readonly lines: string[] = [];

  constructor() {
    beforeAll(async () => {
      this.dir = await mkdtemp(join(tmpdir(), 'grigri-charm-agent-'));
      const cloud = new SimulatedCloud({
        latencyMs: 0,
        onStart: async ({ params }) => {
          this.#conf = params.agent.agentConf;
          await this.start(params.machineId);
        },
      });
      this.#controller = await testController(createSimulatedProvider(cloud));
      this.model = await this.#controller.addModel('work');
      this.admin = await this.#controller.connect(this.model);
    });
    afterAll(async () => {
      await Promise.all(this.#agents.map((agent) => agent.stop()));
      await this.admin.close();
      await this.#controller[Symbol.asyncDispose]();
      await rm(this.dir, { recursive: true });
    });
  }

  /** Starts the agent of a machine, with the password that its first run chose. */
  async start(machineId: string, version?: string): Promise<void> {
    const { dir } = this;
    const agentConf = await readFile(join(dir, machineId, 'agent.conf'), 'utf8').catch(() => this.#conf);
    this.#agents.push(
      await startMachineAgent({
        dir,
        machineId,
        agentConf,
        address: this.#controller.address,
        onLine: (line) => void this.lines.push(line),
        ...defined({ version }),
      }),
    );
  }

  /** Stops the agent that was started last. */
  async stop(): Promise<void> {
    await this.#agents.pop()!.stop();
  }

  /** Destination of uploads. */
  get to() {
    const { address, caCert, password } = this.#controller;
    return {
      addresses: [address],
      caCert,
      login: { tag: 'user-admin', password },
      modelUuid: this.model,
    };
  }

  /** Deploys one unit of the charm, under its application's name. */
  async deploy(application: string, charmUrl: string): Promise<void> {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const args = {
      application,
      'charm-url': charmUrl,
      channel: '',
      'num-units': 1,
      'config-yaml': '',
      constraints: {},
      Force: false,
      'charm-origin': { source: 'local', type: 'charm', base },
    };
    const { results } = await this.admin.call<{ results: { error?: object }[] }>('Application', 'Deploy', {
      applications: [args],
    });
    if (results[0]?.error) throw new Error(JSON.stringify(results[0].error));
  }
}
