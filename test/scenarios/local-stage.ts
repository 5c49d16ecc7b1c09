/** Stage for scenarios on real machines of this host, by the command line. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localStage as stageOn } from '../../src/cli/charm-test/local-stage.ts';
import { ClientStore } from '../../src/cli/files/client-store.ts';
import { connect } from '../../src/client/connect.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { local } from '../../src/providers/clouds/local/index.ts';
import type { ReportingStage } from '../../src/testing/scenarios/play-or-report.ts';
import type { World } from '../world.ts';

interface LocalStage extends ReportingStage {
  /** Removes the model with everything in it. */
  end(): Promise<void>;
}

/** Creates a stage. `model`: a name that no other stage of this world has. */
export async function localStage(world: World, model: string): Promise<LocalStage> {
  const uuid = await world.addModel(model);
  const folder = join(world.dir, model);
  mkdirSync(folder);
  const { details: first } = await knownController(world);
  const run = (argv: readonly string[]) => world.run(argv, { cwd: folder, model });
  const stage = stageOn({
    model: { name: model, uuid },
    controllerDir: world.controllerDir,
    controllerUuid: first.uuid,
    provider: local,
    clock: systemClock,
    folder,
    run,
    async connect() {
      const { details, account } = await knownController(world);
      return connect({
        addresses: details['api-endpoints'],
        caCert: details['ca-cert'],
        modelUuid: uuid,
        login: { tag: `user-${account.user}`, password: account.password },
      });
    },
    until: (check) => world.within(check),
  });
  return {
    ...stage,
    async report() {
      const { stdout } = await run(['status', '--relations']);
      const log = await run(['debug-log', '--replay', '--no-tail']);
      return `${stdout}\n${log.stdout.slice(-6000)}`;
    },
    async end() {
      await stage.close();
      await run(['destroy-model', model, '--no-prompt', '--force', '--no-wait', '--timeout', '60s']);
    },
  };
}

/** Returns the controller as registered in the client's files. */
async function knownController({ name, dir }: World) {
  const store = new ClientStore(join(dir, 'client'), systemClock);
  const details = (await store.controllers())[name];
  const account = await store.account(name);
  if (!details || !account?.password) throw new Error(`controller ${name} is not known`);
  return { details, account: { user: account.user, password: account.password } };
}
