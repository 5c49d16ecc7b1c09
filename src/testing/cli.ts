/** Runs of the CLI in this process, with files of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../cli/run.ts';
import type { CliIo, Output } from '../cli/io.ts';
import { ClientStore } from '../cli/files/client-store.ts';
import { authorityAt } from '../client/authority-at.ts';
import { downloadBackup, receivedBackup } from '../client/backups.ts';
import { connect } from '../client/connect.ts';
import { discharge } from '../client/discharge.ts';
import { downloadCharm, uploadCharm, uploadImage, uploadProgram } from '../client/http.ts';
import { register } from '../client/register.ts';
import { downloadResource, uploadResource } from '../client/resources.ts';
import { systemClock } from '../kit/clock.ts';
import { visible } from '../kit/visible.ts';
import type { TestController } from './controller.ts';

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestCli extends Disposable {
  /** Temporary folder, which is the current directory; $JUJU_DATA is `juju` in it. */
  readonly folder: string;
  readonly store: ClientStore;
  /** Runs the CLI. `line` is split at spaces; an array is taken as it is. `input` is stdin. */
  run(
    line: string | readonly string[],
    more?: { input?: string; env?: Record<string, string> } & Omit<Partial<CliIo>, 'env'>,
  ): Promise<CliRun>;
}

export function testCli(): TestCli {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-cli-'));
  const data = join(folder, 'juju');
  return {
    folder,
    store: new ClientStore(data, systemClock),
    async run(line, { input = '', env = {}, ...other } = {}) {
      let stdout = '';
      let stderr = '';
      const lines = input.split('\n');
      const io: CliIo = {
        program: 'grigri',
        stdout: output((text) => (stdout += text)),
        stderr: output((text) => (stderr += text)),
        stdin: {
          isTTY: false,
          readLine: () => Promise.resolve(lines.shift()),
          readAll: () => Promise.resolve(input),
        },
        env: { JUJU_DATA: data, ...env },
        cwd: folder,
        home: folder,
        isRoot: false,
        clock: systemClock,
        randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
        signal: new AbortController().signal,
        authorityAt,
        connect,
        downloadBackup,
        downloadCharm,
        uploadCharm,
        receivedBackup,
        register,
        discharge,
        uploadImage,
        uploadProgram,
        downloadResource,
        uploadResource,
        providers: () => Promise.resolve(new Map()),
        hostKeysAt: () => Promise.resolve([]),
        runOnTerminal: () => Promise.reject(new Error('no terminal here')),
        ...other,
      };
      const argv = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
      const code = await runCli(argv, io);
      return { code, stdout, stderr };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns output as main/cli.ts makes it, but into memory. */
export function output(add: (text: string) => unknown, isTTY = false): Output {
  return {
    isTTY,
    isClosed: false,
    write: (text) => void add(visible(text)),
    writeRaw: (text) => void add(text),
  };
}

/** Registers a controller under this name, as bootstrap does, and makes it the current one. */
export async function knowController(cli: TestCli, controller: TestController, name = 'ctrl'): Promise<void> {
  const connection = await controller.connect();
  const uuid = connection.login.controllerTag.replace(/^controller-/, '');
  await connection.close();
  await cli.store.addController(
    name,
    {
      uuid,
      'api-endpoints': [controller.address],
      'ca-cert': controller.caCert,
      cloud: 'test',
      region: 'default',
      type: 'simulated',
    },
    { user: 'admin', password: controller.password },
  );
  await cli.store.addModel(name, 'admin/controller', { uuid: controller.controllerModel, type: 'iaas' });
  await cli.store.setCurrentController(name);
}
