/** Entry to machines from their controller's own host, where the provider has another way than ssh. */
import { hasCode } from '../../core/errors.ts';
import type { MachineStatus } from '../../wire/facades/client.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { openEnviron } from '../local-controller.ts';
import type { SshArguments } from './arguments.ts';
import type { FullStatus } from './targets.ts';

/**
 * Returns the argv that enters the machine as the user, to which a command is appended; undefined for a machine that
 * the provider has not started, such as an existing host.
 */
export type Entrance = (
  machine: MachineStatus,
  options: { readonly user: string; readonly tty: boolean },
) => Promise<readonly string[] | undefined>;

/** Returns the entrance to the machines of the model; undefined when they are entered by ssh. */
export async function entranceOf(
  context: CommandContext,
  session: ModelSession,
  status: FullStatus,
): Promise<Entrance | undefined> {
  const { cloud } = session.details;
  // Clients that did not bootstrap the controller do not have its cloud; the provider knows its own machines.
  if (cloud && status.model['cloud-tag'] !== `cloud-${cloud}`) return undefined;
  const environ = await openEnviron(context, {
    controller: session.controller,
    modelUuid: session.modelUuid,
    modelName: session.model.slice(session.model.indexOf('/') + 1),
  });
  const { enter } = environ ?? {};
  if (!enter) return undefined;
  return async (machine, { user, tty }) => {
    if (!/^([a-z_][a-z0-9_-]*)?$/.test(user)) throw new UsageError(`invalid user name "${user}"`);
    try {
      const argv = await enter.call(environ, machine['instance-id'], { tty });
      return [...argv, ...asUser(user)];
    } catch (error) {
      if (hasCode(error, 'not found')) return undefined;
      throw error;
    }
  };
}

function asUser(user: string): string[] {
  return user && user !== 'root' ? ['runuser', '-u', user, '--'] : [];
}

/** Options of ssh that mean nothing without a network in between, with their values. */
const idle = /^-[46AaCcEeFfGgIiKklMmnopqSsTtvXxYy]/;

/** Refuses options that need an ssh server: forwarding of ports, jumps, subsystems. Errors: UsageError. */
export function checkEnterable({ options }: Pick<SshArguments, 'options'>): void {
  const refused = options.find((option) => option.startsWith('-') && !idle.test(option));
  if (refused !== undefined)
    throw new UsageError(
      `machines of this host are entered without ssh, which ${refused} needs: connect to their addresses instead`,
    );
}

/**
 * Command of an interactive login. The machine's own /dev lacks the terminal's device, so that script gives the shell
 * another one.
 */
export const loginShell =
  'cd; shell=$(command -v bash || command -v sh); if [ -t 0 ] && command -v script >/dev/null; ' +
  'then exec script -qec "$shell -l" /dev/null; else exec "$shell" -l; fi';
