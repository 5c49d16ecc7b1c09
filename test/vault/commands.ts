import { expect } from 'vitest';
import { createSimulatedProvider } from '../../src/providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../../src/testing/cli.ts';
import { testController, type TestController } from '../../src/testing/controller.ts';

/** Client with a controller of simulated machines. */
export class Commands implements AsyncDisposable {
  readonly #controller: TestController;
  readonly cli: TestCli;

  private constructor(controller: TestController, cli: TestCli) {
    this.#controller = controller;
    this.cli = cli;
  }

  static async start(): Promise<Commands> {
    const controller = await testController(createSimulatedProvider());
    const cli = testCli();
    await knowController(cli, controller);
    return new Commands(controller, cli);
  }

  /** Runs a command that succeeds. Returns its output. */
  readonly ok = async (line: string): Promise<string> => {
    const run = await this.cli.run(line);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    return run.stdout;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.cli[Symbol.dispose]();
    await this.#controller[Symbol.asyncDispose]();
  }
}
