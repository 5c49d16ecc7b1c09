/** A whole controller in this process, over real TLS on a free port, with its files in a temporary folder. */
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../client/connect.ts';
import type { Connection, ConnectOptions } from '../client/connection.ts';
import type { LogRecord } from '../kit/log.ts';
import type { OtherControllers } from '../controller/other-controllers.ts';
import { createPasswordCheck } from '../controller/password-check.ts';
import { initController } from '../main/controller/init.ts';
import { serveController, type RunningController } from '../main/controller/serve.ts';
import type { Provider } from '../providers/contract/provider.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { defined } from '../core/defined.ts';
import { passwordCost } from './password-cost.ts';

type Confirm = NonNullable<Parameters<typeof serveController>[0]['confirm']>;

const password = 'test-password';

export interface TestController extends AsyncDisposable {
  readonly dataDir: string;
  readonly caCert: string;
  readonly address: string;
  /** Password of the user admin. */
  readonly password: string;
  readonly controllerModel: string;
  readonly logged: readonly LogRecord[];
  /** Returns the running controller; a new one after restart(). */
  running(): RunningController;
  /** Options to connect as admin to the controller, or to a model. Plain data, for another thread or process. */
  connectOptions(modelUuid?: string): ConnectOptions;
  connect(modelUuid?: string): Promise<Connection>;
  addModel(name: string, config?: Record<string, unknown>): Promise<string>;
  /** Restarts the controller; `meanwhile` may change its files; `confirm`: as that of serveController. */
  restart(meanwhile?: () => unknown, confirm?: Confirm): Promise<void>;
}

/** Starts a controller; `provider` is its cloud, `hosts`: hosts by which it says that it is reached. */
export async function testController(
  provider: Provider = createSimulatedProvider(),
  {
    validate = true,
    hosts,
    elsewhere,
  }: { validate?: boolean; hosts?: readonly string[]; elsewhere?: OtherControllers } = {},
): Promise<TestController> {
  const dataDir = mkdtempSync(join(tmpdir(), 'grigri-controller-'));
  mkdirSync(join(dataDir, 'machines'), { recursive: true });
  const providers = new Map([[provider.type, provider]]);
  const { caCert, modelUuid } = await initController(
    dataDir,
    {
      name: 'test',
      cloud: { name: 'test', type: provider.type, region: 'default' },
      adminUser: 'admin',
      adminPassword: password,
      config: { 'api-port': 0 },
    },
    providers,
    passwordCost,
  );
  const logged: LogRecord[] = [];
  const serve = (confirm?: Confirm): Promise<RunningController> =>
    serveController({
      dataDir,
      providers,
      onLog: (record) => logged.push(record),
      validate,
      logBytes: 0,
      passwords: createPasswordCheck(passwordCost),
      ...defined({ hosts, elsewhere, confirm }),
    });
  let running = await serve();
  const login = { tag: 'user-admin', password };
  const test: TestController = {
    dataDir,
    caCert,
    password,
    get address() {
      return `127.0.0.1:${running.server.port}`;
    },
    controllerModel: modelUuid,
    logged,
    running: () => running,
    connectOptions: (model) => ({
      addresses: [test.address],
      caCert,
      login,
      ...defined({ modelUuid: model }),
    }),
    connect: (model) => connect(test.connectOptions(model)),
    async addModel(name, config = {}) {
      const connection = await test.connect();
      const { uuid } = await connection.call<{ uuid: string }>('ModelManager', 'CreateModel', {
        name,
        'owner-tag': 'user-admin',
        config,
      });
      await connection.close();
      return uuid;
    },
    async restart(meanwhile, confirm) {
      await running.stop();
      await meanwhile?.();
      running = await serve(confirm);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return test;
}
