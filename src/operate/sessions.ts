/** Connections to the controllers and models that the user named. */
import { readRedirection, type Redirection } from '../wire/redirection.ts';
import type { ConnectOptions, Connection, Credentials } from '../client/connection.ts';
import { call, type ResultOf } from '../client/calls.ts';
import { hasCode, JujuError } from '../core/errors.ts';
import { parseUserTag, userTag } from '../wire/tags.ts';
import { controllerDetails } from './controller-details.ts';
import { loginOptions } from './login-options.ts';
import { working, type Operator } from './operator.ts';
import type { ClientRecords, ControllerDetails, ModelDetails } from './records.ts';
import { defined } from '../core/defined.ts';

/** Means of a client to find controllers and models, and to log in there. */
export interface Client {
  readonly operator: Operator<SessionEvent>;
  readonly records: () => Promise<ClientRecords>;
  /** Name of this client's sessions in the controller's audit log: `grigri deploy`. */
  readonly commandLine?: string;
  /**
   * Defaults where nothing is named: JUJU_CONTROLLER and JUJU_MODEL. Empty means the records' current controller or
   * model.
   */
  readonly chosen: { readonly controller: string; readonly model: string };
  readonly connect: (options: ConnectOptions) => Promise<Connection>;
  /**
   * Discharges the macaroon that a login asks for, by asking the user for the password. Returns it with its discharges;
   * undefined when nobody can be asked; absent = never.
   */
  readonly discharge?: (asked: {
    readonly controller: string;
    readonly user: string;
    readonly caCert: string;
    readonly macaroon: unknown;
  }) => Promise<readonly unknown[] | undefined>;
  /** Starts a controller of this host that is stopped. False when there is nothing to start. */
  readonly startIfStopped: (controller: string, uuid: string) => Promise<boolean>;
}

/** The controller cannot store changes, for the reason in `problem`. */
export interface SessionEvent {
  readonly kind: 'controller read-only';
  readonly controller: string;
  readonly problem: string;
}

/** Connection with the controller and login that it belongs to. */
export interface ControllerSession {
  readonly connection: Connection;
  readonly controller: string;
  readonly details: ControllerDetails;
  readonly user: string;
  readonly login: ConnectOptions['login'];
}
export interface ModelSession extends ControllerSession {
  /** Name with its owner: `admin/default`. */
  readonly model: string;
  readonly modelUuid: string;
}

/** Opens another controller that the client knows, by its name. */
export type OpenController = (name: string) => Promise<ControllerSession>;

/** Number of models that a controller is asked about, when it does not list them any more. */
const goneMax = 10;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function openController(client: Client, name: string): Promise<ControllerSession> {
  return connectTo(client, await chooseController(client, name));
}

export async function openModel(client: Client, name: string): Promise<ModelSession> {
  const target = await resolveModel(client, name);
  try {
    const session = await connectTo(client, target.controller, target.uuid);
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

/**
 * Returns the name of the controller that `name` (from -c), the client's choice or its records select, in this order.
 */
export async function chooseController(client: Client, name: string): Promise<string> {
  const { chosen } = client;
  const records = await client.records();
  const controllers = await records.controllers();
  const colon = chosen.model.indexOf(':');
  const controllerOfModel = colon < 0 ? '' : chosen.model.slice(0, colon);
  const controllerName =
    name || chosen.controller || controllerOfModel || (await records.currentController()) || '';
  if (controllerName) {
    if (!controllers[controllerName])
      throw new JujuError('not found', `controller ${controllerName} not found`);
    return controllerName;
  }
  if (Object.keys(controllers).length === 0) {
    throw new JujuError(
      '',
      'No controllers registered.\n\nPlease create a new controller using "grigri bootstrap".',
    );
  }
  throw new JujuError('', 'No selected controller.\n\nPlease use "grigri switch" to select a controller.');
}

export interface ModelTarget {
  readonly controller: string;
  /** Name with its owner: `admin/default`. */
  readonly model: string;
  readonly uuid: string;
}

/**
 * Resolves `[controller:][owner/]model` or a UUID to a model. The controller is asked about models that the records do
 * not have.
 */
export async function resolveModel(client: Client, name: string): Promise<ModelTarget> {
  const records = await client.records();
  const modelName = name || client.chosen.model;
  const colon = modelName.indexOf(':');
  const controller = await chooseController(client, colon > 0 ? modelName.slice(0, colon) : '');
  const modelPart = modelName.slice(colon + 1) || ((await records.currentModel(controller)) ?? '');
  if (!modelPart) {
    throw new JujuError(
      '',
      'No model in focus.\n\nPlease use "grigri models" to see models available to you.\nYou can set current model by running "grigri switch"\nor specify any other model on the command line using the "-m" option.',
    );
  }
  const user = (await records.account(controller))?.user ?? 'admin';
  return (
    findModel(await records.models(controller), controller, modelPart, user) ??
    findModel(await refreshModels(client, controller), controller, modelPart, user) ??
    (await findUnlisted(client, controller, modelPart, user)) ??
    fail(new JujuError('model not found', `model ${controller}:${qualified(modelPart, user)} not found`))
  );
}

/**
 * Finds a model that the controller does not list: by the UUID that was given, or that the records have for a model of
 * the name in another controller, where it may have gone. Errors: `redirection required` for one that has.
 */
async function findUnlisted(
  client: Client,
  controller: string,
  name: string,
  user: string,
): Promise<ModelTarget | undefined> {
  const model = qualified(name, user);
  for (const uuid of uuidPattern.test(name) ? [name] : await uuidsElsewhere(client, controller, model)) {
    try {
      const { connection } = await connectTo(client, controller, uuid);
      await connection.close();
      return { controller, model, uuid };
    } catch (error) {
      if (!hasCode(error, 'model not found')) throw error;
    }
  }
  return undefined;
}

/** UUIDs of the models of the name that the records have in other controllers. */
async function uuidsElsewhere(client: Client, controller: string, model: string): Promise<string[]> {
  const records = await client.records();
  const others = Object.keys(await records.controllers()).filter((other) => other !== controller);
  const found = await Promise.all(others.map(async (other) => (await records.models(other))[model]?.uuid));
  return [...new Set(found.filter((uuid) => uuid !== undefined))];
}

/** Asks the controller for its models and records them. */
export async function refreshModels(
  client: Client,
  controller: string,
): Promise<Readonly<Record<string, ModelDetails>>> {
  const { connection, user } = await connectTo(client, controller);
  const records = await client.records();
  const stored = await records.models(controller);
  const details = (await records.controllers())[controller];
  let list: ResultOf<'ModelManager', 'ListModels'>['user-models'];
  try {
    ({ 'user-models': list } = await call(connection, 'ModelManager', 'ListModels', { tag: userTag(user) }));
    const learnt = details && !details.type && (await controllerDetails(connection, list));
    if (learnt) await records.updateController(controller, { ...details, ...learnt });
  } finally {
    await connection.close();
  }
  const models = Object.fromEntries(
    list.map(({ model }) => [
      `${parseUserTag(model['owner-tag'])}/${model.name}`,
      { uuid: model.uuid, type: model.type || 'iaas' },
    ]),
  );
  await recordModels(client, controller, { models, stored });
  return models;
}

/**
 * Records the models that a controller has listed in the place of those that were `stored` before, and first where
 * those have gone that it does not list any more.
 */
export async function recordModels(
  client: Client,
  controller: string,
  { models, stored }: Readonly<Record<'models' | 'stored', Readonly<Record<string, ModelDetails>>>>,
): Promise<void> {
  const listed = new Set(Object.values(models).map(({ uuid }) => uuid));
  const gone = Object.values(stored).filter(({ uuid }) => !listed.has(uuid));
  for (const { uuid } of gone.slice(0, goneMax)) {
    try {
      await (await connectTo(client, controller, uuid)).connection.close();
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
    }
  }
  await (await client.records()).setModels(controller, models, stored);
}

function findModel(
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

async function connectTo(client: Client, controller: string, modelUuid?: string): Promise<ControllerSession> {
  const { operator } = client;
  const records = await client.records();
  const details = (await records.controllers())[controller];
  if (!details) throw new JujuError('not found', `controller ${controller} not found`);
  const { user, password = '' } = (await records.account(controller)) ?? {};
  if (!user) throw notLoggedIn(controller, `there is no account in ${records.dir}/accounts.yaml`);
  const macaroons = password === '' ? await records.macaroons(controller) : undefined;
  const open = (credentials: Credentials): Promise<Connection> =>
    reach(client, controller, details, {
      ...loginOptions({ details, login: credentials }, operator.signal),
      ...defined({ modelUuid, cliArgs: client.commandLine }),
    });
  let login: Credentials = { tag: userTag(user), password, ...defined({ macaroons }) };
  let connection: Connection;
  try {
    connection = await open(login);
  } catch (error) {
    const moved = readRedirection(error);
    if (moved) throw await followed(records, { controller, modelUuid, moved });
    if (!hasCode(error, 'macaroon discharge required')) throw error;
    const macaroon = error.info?.['macaroon'];
    const slice = await client.discharge?.({ controller, user, caCert: details['ca-cert'], macaroon });
    if (!slice)
      throw notLoggedIn(controller, error.message.replace('macaroon discharge required: ', ''), user);
    login = { ...login, macaroons: [slice] };
    connection = await open(login);
    await records.setMacaroon(controller, slice);
  }
  const { problem } = connection.login;
  if (problem !== undefined) operator.report({ kind: 'controller read-only', controller, problem });
  await recordLogin(records, controller, connection);
  return { connection, controller, details, user, login };
}

/**
 * Records that a model is in another controller now, if the records have that one, and returns the error that says how
 * to get there.
 */
async function followed(
  records: ClientRecords,
  of: {
    readonly controller: string;
    readonly modelUuid: string | undefined;
    readonly moved: Redirection;
  },
): Promise<JujuError> {
  const { alias, controllerTag } = of.moved;
  const uuid = controllerTag.replace(/^controller-/, '');
  const controllers = Object.entries(await records.controllers());
  const known = controllers.find(([, details]) => details.uuid === uuid)?.[0];
  if (known !== undefined) {
    const ofModel = Object.entries(await records.models(of.controller)).filter(
      ([, details]) => details.uuid === of.modelUuid,
    );
    if (ofModel.length > 0) await records.setModels(known, Object.fromEntries(ofModel), {});
  }
  const name = known ?? (alias || uuid);
  const how =
    known === undefined
      ? `log in to that controller: "grigri login ${of.moved.addresses[0]} -c ${name}"`
      : `use "-m ${known}:<model>", or "grigri switch ${known}"`;
  return new JujuError(
    'redirection required',
    `the model has been migrated to controller "${name}".\n\nTo access it, ${how}.`,
  );
}

function notLoggedIn(controller: string, reason: string, user = '<user>'): JujuError {
  return new JujuError(
    'no credentials provided',
    `not logged in to controller "${controller}": ${reason}\n\nPlease use "grigri login -c ${controller} -u ${user}".`,
  );
}

/**
 * Connects to a controller, and starts it first if it is on this host and does not answer. Errors: `try again`, naming
 * the controller.
 */
async function reach(
  { operator, connect, startIfStopped }: Client,
  controller: string,
  { uuid }: ControllerDetails,
  options: ConnectOptions,
): Promise<Connection> {
  const { addresses } = options;
  const dial = (): Promise<Connection> =>
    working(operator, { kind: 'connecting', controller, addresses }, connect(options));
  try {
    return await dial().catch(async (error: unknown) => {
      if (!isUnreachable(error) || !(await startIfStopped(controller, uuid))) throw error;
      return dial();
    });
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new JujuError('try again', `controller "${controller}" cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
}

function isUnreachable(error: unknown): error is JujuError {
  return hasCode(error, 'try again');
}

/** Records the controller's addresses and version after a login, because both may have changed. */
async function recordLogin(
  records: ClientRecords,
  controller: string,
  connection: Connection,
): Promise<void> {
  const details = (await records.controllers())[controller];
  const { servers, serverVersion } = connection.login;
  if (!details) return;
  const moved = servers.length > 0 && servers.join() !== details['api-endpoints'].join();
  const upgraded = serverVersion && serverVersion !== details['agent-version'];
  if (!moved && !upgraded) return;
  await records.updateController(controller, {
    ...details,
    ...defined({
      'api-endpoints': moved ? servers : undefined,
      'agent-version': upgraded ? serverVersion : undefined,
    }),
  });
}

function fail(error: Error): never {
  throw error;
}
