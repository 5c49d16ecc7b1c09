import { z } from 'zod';
import type { CredentialDoc } from '../../../core/credential/document.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Consents } from '../../../core/model/consents.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { isModelName } from '../../../core/names.ts';
import { timeLimit } from '../../../kit/clock.ts';
import { ProviderError } from '../../../providers/contract/provider.ts';
import type { modelArrivals as spec } from '../../../wire/facades/model-arrivals.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { sealed } from '../../migration/clear-text.ts';
import { isSealed, type Sealer } from '../../sealer.ts';
import { giveUpArrival } from '../../migration/give-up-arrival.ts';
import { checkWays } from '../../other-controllers.ts';
import { refuseTakenHosts } from '../../transactions/begin/enlist-machine.ts';
import { beginArrival, checkArrival, type Arriving } from '../../transactions/remote/arrivals.ts';

type Params = ParamsOf<typeof spec, 'Import'>;

/** Time for the cloud's answer. */
const checkMs = 60_000;
/** Time for the connection with the controller that the model comes from. */
const reachMs = 10_000;
const rootKeyBytes = 32;

const text = z.string();
const record = z.looseObject({
  uuid: z.uuid(),
  name: z.string().refine(isModelName),
  owner: text.min(1),
  life: z.literal('alive'),
  cloud: text,
  region: text,
  credential: text,
  config: z.record(text, z.unknown()),
  constraints: z.record(text, z.unknown()),
  createdAt: z.iso.datetime(),
  consents: z.looseObject({ key: text, since: z.record(text, z.iso.datetime()) }).optional(),
});
const access = z.looseObject({
  user: text.min(1),
  model: text,
  access: z.enum(['read', 'write', 'admin']),
});
const offerAccess = z.looseObject({
  user: text.min(1),
  offer: text,
  model: text,
  access: z.enum(['read', 'consume', 'admin']),
});
const goneHost = z.looseObject({
  model: text,
  machine: text.min(1),
  instanceId: text,
  gone: z.looseObject({ at: z.iso.datetime(), nonce: text.min(1), passwordHash: text.min(1) }),
});
const credential = z.looseObject({
  cloud: text,
  owner: text,
  name: text,
  authType: text,
  attributes: z.record(text, text),
});

export async function prechecks(
  call: Call,
  params: Params,
): Promise<{ readonly addresses: readonly string[] }> {
  await check(call, params);
  await checkReached(call, params);
  return { addresses: call.services.addresses };
}

/** Begins the arrival. What an earlier attempt has left is removed before. */
export async function begin(call: Call, params: Params): Promise<Record<string, never>> {
  const arriving = await check(call, params);
  const known = call.read().in('').get('arrival', arriving.model);
  if (known?.state === 'arriving') await giveUpArrival(call, known);
  await call.store.change((tx) => beginArrival(tx.in(''), arriving), call.by);
  return {};
}

/** Checks that the model could come here. Errors: '' with the reason. */
async function check(call: Call, params: Params): Promise<Arriving> {
  const arriving = arrivingOf(call, params);
  const root = call.read().in('');
  checkArrival(root, arriving);
  refuseTakenHosts(root, params.hosts ?? []);
  await checkMachines(call, params, arriving);
  return arriving;
}

function arrivingOf(call: Call, params: Params): Arriving {
  checkLimit(limits.migrationTicket, params.ticket.length);
  const { sealer } = call.services;
  const sent = read(record, sealed(params.record, sealer)) as unknown as ModelDoc;
  // Its agents take the program of this controller.
  const { program: _, ...given } = sent;
  const model = { ...given, ...defined({ consents: given.consents && consentsOf(call, given.consents) }) };
  if (model.uuid !== params.model || !params.migration.startsWith(`${params.model}:`))
    throw new JujuError('bad request', 'the record is of another model');
  const users = params.access.map((one) => read(access, one));
  const ofOffers = (params['offer-access'] ?? []).map((one) => read(offerAccess, one));
  if ([...users, ...ofOffers].some((one) => one.model !== model.uuid))
    throw new JujuError('bad request', "a user's access is to another model");
  const goneHosts = (params['gone-hosts'] ?? []).map((one) => read(goneHost, one));
  if (goneHosts.some((one) => one.model !== model.uuid))
    throw new JujuError('bad request', 'a host was a machine of another model');
  const account = params.credential && (read(credential, sealed(params.credential, sealer)) as CredentialDoc);
  const cloud = call.read().in('').get('cloud', model.cloud);
  if (cloud && cloud.type !== params['cloud-type'])
    throw new JujuError('', `cloud "${model.cloud}" is of type ${cloud.type} in the target controller`);
  refuseNewer(params.version, call.services.version);
  const skips = params['skip-user-checks'] ?? false;
  const there = <U extends { readonly user: string }>(all: U[]): U[] =>
    skips ? all.filter(({ user }) => isKnown(call, user)) : all;
  return {
    model: model.uuid,
    migration: params.migration,
    from: params.from,
    ticket: params.ticket,
    machines: params.machines,
    parts: {
      model,
      access: there(users),
      offerAccess: there(ofOffers),
      consumers: skips ? [] : (params.consumers ?? []),
      goneHosts,
      ...defined({ credential: account }),
    },
  };
}

function isKnown(call: Call, user: string): boolean {
  return user.includes('@') || call.read().in('').get('user', user.toLowerCase()) !== undefined;
}

/** Consents as they count here: nobody but users who are here now can have given them. Errors: `bad request`. */
function consentsOf(call: Call, { key, since }: Consents): Consents {
  if (!isRootKey(key, call.services.sealer))
    throw new JujuError('bad request', 'the key of consents to offers is none');
  const root = call.read().in('');
  const known = Object.entries(since).filter(([user]) => root.get('user', user));
  return { key, since: Object.fromEntries(known) };
}

function isRootKey(key: string, sealer: Sealer): boolean {
  try {
    return isSealed(key) && Buffer.from(sealer.open(key), 'base64').length === rootKeyBytes;
  } catch {
    return false;
  }
}

/** Refuses a model of a newer controller, whose records may say what this one does not know. */
function refuseNewer(model: string, own: string): void {
  const [a, b] = [parts(model), parts(own)];
  const n = a.findIndex((part, index) => part !== b[index]);
  if (n >= 0 && (a[n] ?? 0) > (b[n] ?? 0))
    throw new JujuError('', `model has higher version than target controller (${model} > ${own})`);
}

function parts(version: string): number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}

/** Asks the cloud whether the machines can be taken over. Errors: '' with the reason. */
async function checkMachines(
  call: Call,
  params: Params,
  { parts: { model, credential: given } }: Arriving,
): Promise<void> {
  // The machines are taken over with the credential that is here, if it is.
  const known = call.read().in('').get('credential', model.credential);
  const { migration } = call.services.environOf(model, known ?? given);
  if (!migration)
    throw new JujuError(
      'not supported',
      `models on clouds of type ${params['cloud-type']} cannot be migrated`,
    );
  const { ticket, from, machines } = params;
  const limit = timeLimit(call.services.clock, checkMs);
  try {
    await migration.check({ ticket, from, machines }, limit.signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new JujuError('', `the machines cannot be taken over: ${error.message}`, { cause: error });
  } finally {
    limit.done();
  }
}

/** Checks that the controller is reached whose offers the model goes on to consume. Errors: '' with the reason. */
async function checkReached({ services }: Call, { 'consumes-from': source }: Params): Promise<void> {
  if (!source) return;
  const { addresses, 'ca-cert': caCert } = source;
  checkWays({ addresses, caCert });
  const limit = timeLimit(services.clock, reachMs);
  try {
    const connection = await services.elsewhere.connect({
      addresses,
      caCert,
      login: { tag: 'user-jujuanonymous', password: '' },
      signal: limit.signal,
      clock: services.clock,
      answerMax: limits.peerAnswer.max,
    });
    await connection.close();
  } catch (error) {
    throw new JujuError(
      '',
      `the model consumes offers of its controller, which the target controller does not reach: ${(error as Error).message}`,
      { cause: error },
    );
  } finally {
    limit.done();
  }
}

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const members = error.issues.slice(0, 10).map(({ path }) => path.join('.'));
  throw new JujuError('bad request', `the record does not fit: look at ${members.join(', ')}`, {
    cause: error,
  });
}
