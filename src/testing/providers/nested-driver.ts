/**
 * Script of an agent's request in its machine, to be bundled from src/providers/clouds/local. Each request runs in a
 * process of its own, so no state is kept between two.
 */
export const nestedDriver = `
import { parseBase } from '../../../core/base.ts';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { createNestedBroker } from './nested.ts';
const { controllerUuid, modelUuid, verb, args } = JSON.parse(process.argv[2]);
const broker = createNestedBroker({ controllerUuid, modelUuid, nested: 'lower root', dataDir: '/var/lib/juju', toolsDir: '/run/grigri/tools', clock: systemClock, log: silentLog });
const never = new AbortController().signal;
if (verb === 'types') console.log(JSON.stringify(broker?.types ?? []));
else {
  if (verb === 'start') args[0].progress = () => undefined;
  try {
    console.log(JSON.stringify((await broker.instances[verb](...args, never)) ?? null));
  } catch (error) {
    console.error(error.class + ': ' + error.message);
    process.exitCode = 1;
  }
}`;
