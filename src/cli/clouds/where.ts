/** Scope of commands about clouds and credentials: this client, a controller, or both have their own copies. */
import { controllerFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { chooseController } from '../../operate/sessions.ts';

export const scopeFlags = { ...controllerFlags, client: bool('--client', 'Client operation') };

export interface Scope {
  readonly client: boolean;
  /** Name of the controller. */
  readonly controller?: string;
}
interface Flags {
  readonly client: boolean;
  readonly controller: string;
}

/**
 * Returns the scope of a command that shows something: both unless flags select one; only the client when there is no
 * current controller.
 */
export async function scopeToShow(context: CommandContext, flags: Flags): Promise<Scope> {
  const scope = await scopeOfFlags(context, flags);
  return scope ?? { client: true, ...(await currentController(context)) };
}

/**
 * Returns the scope of a command that changes something, from the flags; if these leave a choice, the user is asked.
 * `action` completes `Do you want to …:`. Undefined means that nothing was chosen, after a message that says so.
 */
export async function scopeToChange(
  context: CommandContext,
  flags: Flags,
  action: string,
): Promise<Scope | undefined> {
  const scope = await scopeOfFlags(context, flags);
  if (scope) return scope;
  const { controller } = await currentController(context);
  if (controller === undefined) return { client: true };
  context.info('This operation can be applied to both a copy on this client and to the one on a controller.');
  context.io.stdout.write(
    `Do you want to ${action}:\n    1. client only (--client)\n    2. controller "${controller}" only (--controller ${controller})\n    3. both (--client --controller ${controller})\nEnter your choice, or type Q|q to quit: `,
  );
  for (;;) {
    const answer = (await context.io.stdin.readLine())?.trim().toLowerCase();
    if (answer === '1') return { client: true };
    if (answer === '2') return { client: false, controller };
    if (answer === '3') return { client: true, controller };
    if (answer === undefined || answer === 'q') {
      context.info('Neither client nor controller specified - nothing to do.');
      return undefined;
    }
    context.info('Invalid choice, enter a number between 1 and 3 or quit Q|q');
  }
}

async function scopeOfFlags(context: CommandContext, flags: Flags): Promise<Scope | undefined> {
  if (flags.controller)
    return { client: flags.client, controller: await chooseController(context.client, flags.controller) };
  return flags.client ? { client: true } : undefined;
}

async function currentController(context: CommandContext): Promise<{ controller?: string }> {
  const store = await context.store();
  const controllers = await store.controllers();
  const name = context.io.env['JUJU_CONTROLLER'] || (await store.currentController());
  return name !== undefined && controllers[name] ? { controller: name } : {};
}

/** Returns a required argument. Errors: UsageError. */
export function required(value: string | undefined, usage: string): string {
  if (!value) throw new UsageError(usage);
  return value;
}
