/**
 * Process of one command of a user on the controller's host (wire.md#commands). The command comes by standard input, as
 * JSON. It runs under Node's permissions, without files and programs of the host, and keeps its records in memory.
 */
import { runAllowed } from '../cli/allowed-commands.ts';
import { ClientStore } from '../cli/files/client-store.ts';
import type { CliIo, Input } from '../cli/io.ts';
import { systemClock, type Clock } from '../kit/clock.ts';
import type { AccountDetails, ControllerDetails, ModelDetails } from '../operate/records.ts';
import { networkEffects } from './cli-network.ts';
import { standardOutput } from './cli-process.ts';
import type { CommandInput } from './controller/command-runner.ts';

/** Records of one controller, of which nothing is written. */
class MemoryRecords extends ClientStore {
  readonly #input: CommandInput;
  #models: Readonly<Record<string, ModelDetails>>;

  constructor(input: CommandInput, folder: string, clock: Clock) {
    super(folder, clock);
    this.#input = input;
    const { name, uuid } = input.command.model;
    this.#models = { [name]: { uuid, type: 'iaas' } };
  }

  override check(): Promise<void> {
    return Promise.resolve();
  }

  override controllers(): Promise<Record<string, ControllerDetails>> {
    const { controller, command } = this.#input;
    const { name, type, region } = command.cloud;
    const details = {
      uuid: controller.uuid,
      'api-endpoints': controller.addresses,
      'ca-cert': controller.caCert,
      cloud: name,
      type,
      region,
    };
    return Promise.resolve({ [controller.name]: details });
  }

  override currentController(): Promise<string> {
    return Promise.resolve(this.#input.controller.name);
  }

  override updateController(): Promise<void> {
    return Promise.resolve();
  }

  override account(): Promise<AccountDetails> {
    const { user, password } = this.#input.command;
    return Promise.resolve({ user, password });
  }

  override macaroons(): Promise<readonly (readonly unknown[])[]> {
    return Promise.resolve(this.#input.command.macaroons);
  }

  override setAccess(): Promise<void> {
    return Promise.resolve();
  }

  override models(): Promise<Readonly<Record<string, ModelDetails>>> {
    return Promise.resolve(this.#models);
  }

  override currentModel(): Promise<string> {
    return Promise.resolve(this.#input.command.model.name);
  }

  override setModels(_: string, models: Readonly<Record<string, ModelDetails>>): Promise<void> {
    this.#models = models;
    return Promise.resolve();
  }

  override bootstrapConfig(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const input = JSON.parse(Buffer.concat(chunks).toString()) as CommandInput;

/** Users of a web page are asked nothing. */
const noInput: Input = {
  isTTY: false,
  readLine: () => Promise.resolve(undefined),
  readAll: () => Promise.resolve(''),
};
const refuse = (): never => {
  throw new Error('files and programs cannot be used here, only in a terminal');
};
// One stream, so that errors come between the lines where they happened.
const output = standardOutput(() => process.stdout);
const folder = process.cwd();
const io: CliIo = {
  // The name that users of Juju's dashboard, where these commands are typed, know.
  program: 'juju',
  records: new MemoryRecords(input, folder, systemClock),
  stdout: output,
  stderr: output,
  stdin: noInput,
  env: process.env,
  // Commands of this process have no files: '/' shows no path of the host.
  cwd: '/',
  home: '/',
  isRoot: false,
  clock: systemClock,
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
  signal: new AbortController().signal,
  ...networkEffects,
  async providers() {
    const { loadProviders } = await import('../providers/external.ts');
    return loadProviders([]);
  },
  hostKeysAt: refuse,
  runOnTerminal: refuse,
};

process.exitCode = await runAllowed(input.command.line, io);
