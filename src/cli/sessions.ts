/** From what the user named to a connection. */
import type { Connection } from '../client/connection.ts';
import { hasCode, JujuError } from '../core/errors.ts';
import { parseTagOf, userTag } from '../wire/tags.ts';
import { call } from '../client/calls.ts';
import type { CommandContext, ControllerSession, ModelSession } from './context.ts';
import type { ClientStore, ModelDetails } from './files/client-store.ts';

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function openController(context: CommandContext, name: string): Promise<ControllerSession> {
  const controller = await chooseController(context, name);
  return connectTo(context, controller);
}

export async function openModel(context: CommandContext, name: string): Promise<ModelSession> {
  const target = await resolveModel(context, name);
  try {
    const session = await connectTo(context, target.controller, target.uuid);
    return { ...session, model: target.model, modelUuid: target.uuid };
  } catch (error) {
    if (!(error instanceof JujuError) || error.code !== 'model not found') throw error;
    throw new JujuError(
      'model not found',
      `model "${target.controller}:${target.model}" has been removed from the controller, run 'grigri models' and switch to one of them.`,
      { cause: error },
    );
  }
}

/** The controller's name that `name` (from -c) or the environment or the files mean. */
export async function chooseController(context: CommandContext, name: string): Promise<string> {
  const store = await context.store();
  const known = await store.controllers();
  const fromModel = context.io.env['JUJU_MODEL']?.includes(':')
    ? context.io.env['JUJU_MODEL'].split(':')[0]!
    : '';
  const wanted =
    name || context.io.env['JUJU_CONTROLLER'] || fromModel || (await store.currentController()) || '';
  if (wanted) {
    if (!known[wanted]) throw new JujuError('not found', `controller ${wanted} not found`);
    return wanted;
  }
  if (Object.keys(known).length === 0) {
    throw new JujuError(
      '',
      'No controllers registered.\n\nPlease create a new controller using "grigri bootstrap".',
    );
  }
  throw new JujuError('', 'No selected controller.\n\nPlease use "grigri switch" to select a controller.');
}

export interface ModelTarget {
  readonly controller: string;
  /** `admin/default` */
  readonly model: string;
  readonly uuid: string;
}

/** `[controller:][owner/]model` or a uuid → what it is. An unknown model is asked for at the controller. */
export async function resolveModel(context: CommandContext, name: string): Promise<ModelTarget> {
  const store = await context.store();
  const wanted = name || context.io.env['JUJU_MODEL'] || '';
  const colon = wanted.indexOf(':');
  const controller = await chooseController(context, colon > 0 ? wanted.slice(0, colon) : '');
  const modelPart = wanted.slice(colon + 1) || ((await store.currentModel(controller)) ?? '');
  if (!modelPart) {
    throw new JujuError(
      '',
      'No model in focus.\n\nPlease use "grigri models" to see models available to you.\nYou can set current model by running "grigri switch"\nor specify any other model on the command line using the "-m" option.',
    );
  }
  const user = (await store.account(controller))?.user ?? 'admin';
  return (
    pick(await store.models(controller), controller, modelPart, user) ??
    pick(await refreshModels(context, controller), controller, modelPart, user) ??
    fail(new JujuError('model not found', `model ${controller}:${qualified(modelPart, user)} not found`))
  );
}

/** Asks the controller which models there are and writes them down. */
export async function refreshModels(
  context: CommandContext,
  controller: string,
): Promise<Readonly<Record<string, ModelDetails>>> {
  const { connection, user } = await context.openController(controller);
  const store = await context.store();
  const known = await store.models(controller);
  const { 'user-models': list } = await call(connection, 'ModelManager', 'ListModels', {
    tag: userTag(user),
  });
  const models = Object.fromEntries(
    list.map(({ model }) => [
      `${parseTagOf('user', model['owner-tag'])}/${model.name}`,
      { uuid: model.uuid, type: model.type || 'iaas' },
    ]),
  );
  await store.setModels(controller, models, known);
  return models;
}

function pick(
  models: Readonly<Record<string, ModelDetails>>,
  controller: string,
  name: string,
  user: string,
): ModelTarget | undefined {
  const direct = models[qualified(name, user)];
  if (direct) return { controller, model: qualified(name, user), uuid: direct.uuid };
  if (!uuidPattern.test(name)) return undefined;
  const byUuid = Object.entries(models).find(([, details]) => details.uuid === name);
  return byUuid && { controller, model: byUuid[0], uuid: name };
}

export function qualified(model: string, user: string): string {
  return model.includes('/') || uuidPattern.test(model) ? model : `${user}/${model}`;
}

async function connectTo(
  context: CommandContext,
  controller: string,
  modelUuid?: string,
): Promise<ControllerSession> {
  const store = await context.store();
  const details = (await store.controllers())[controller];
  if (!details) throw new JujuError('not found', `controller ${controller} not found`);
  const account = await store.account(controller);
  const password = account?.password;
  if (!account || !password) {
    throw new JujuError(
      'no credentials provided',
      `no password for controller ${controller} in ${store.dir}/accounts.yaml`,
    );
  }
  const { io } = context;
  const dial = (): Promise<Connection> =>
    context.progress(
      `Connecting to controller ${controller} at ${details['api-endpoints'].join(', ')}`,
      io.connect({
        addresses: details['api-endpoints'],
        caCert: details['ca-cert'],
        ...(modelUuid === undefined ? {} : { modelUuid }),
        login: { tag: userTag(account.user), password },
        signal: io.signal,
      }),
    );
  let connection: Connection;
  try {
    connection = await dial().catch(async (error: unknown) => {
      if (!isUnreachable(error)) throw error;
      const { startIfStopped } = await import('./local-controller.ts');
      if (!(await startIfStopped(context, controller, details.uuid))) throw error;
      return dial();
    });
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new JujuError('try again', `controller "${controller}" cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
  const { problem } = connection.login;
  if (problem !== undefined) context.info(`WARNING controller "${controller}" is read-only: ${problem}`);
  await noteLogin(store, controller, connection);
  return { connection, controller, details, user: account.user };
}

function isUnreachable(error: unknown): error is JujuError {
  return hasCode(error, 'try again');
}

/** The controller may have moved or been upgraded since it was written down. */
async function noteLogin(store: ClientStore, controller: string, connection: Connection): Promise<void> {
  const details = (await store.controllers())[controller];
  const { servers, serverVersion } = connection.login;
  if (!details) return;
  const moved = servers.length > 0 && servers.join() !== details['api-endpoints'].join();
  const upgraded = serverVersion && serverVersion !== details['agent-version'];
  if (!moved && !upgraded) return;
  await store.updateController(controller, {
    ...details,
    ...(moved ? { 'api-endpoints': servers } : {}),
    ...(upgraded ? { 'agent-version': serverVersion } : {}),
  });
}

function fail(error: Error): never {
  throw error;
}
