/** Secrets of other models, as units read them over relations (secrets.md#over-offers). */
import { defined } from '../../../core/defined.ts';
import { hasCode, JujuError } from '../../../core/errors.ts';
import { waysTo } from '../../../core/external-controller/ways.ts';
import { limits } from '../../../core/limits.ts';
import { localEnd } from '../../../core/relation/ends.ts';
import { checkContent } from '../../../core/secret/content.ts';
import { joinSecretKey, uriOfSecretKey, type SecretUri } from '../../../core/secret/secret-id.ts';
import { secretConsumerId } from '../../../core/secret-consumer/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { timeLimit } from '../../../kit/clock.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import { only, peerAnswers, readAnswer } from '../../../wire/peer-answers.ts';
import type { Call } from '../../facade.ts';
import { followModel } from '../../migration/follow-model.ts';
import type { PeerConnection } from '../../other-controllers.ts';
import { trackOfOther, type OtherReading } from '../../transactions/remote/other-models-readings.ts';
import type { View } from '../../transactions/tx.ts';
import { readForOther, type OtherRead } from '../shared/read-for-other.ts';
import { changeUnit } from './change-unit.ts';
import { ownUnit } from './own-unit.ts';

type Params = MachineAgentMethods['SecretContent']['params'];
type Result = Promise<MachineAgentMethods['SecretContent']['result']>;

/** Time for one reading on another controller. */
const timeoutMs = 20_000;

/** Way in which the unit's application reaches another model. */
interface Way {
  readonly model: string;
  readonly applicationToken: string;
  /** UUID of the model's controller; absent = this one. */
  readonly controller?: string;
}

/**
 * Reads a secret of another model for a unit. Errors: `not found`, also without a relation with that model;
 * `unauthorized access`; `try again` while its controller is not reached.
 */
export async function contentOfOtherModel(
  call: Call,
  uri: Required<SecretUri>,
  { unit: name, label, peek, refresh }: Params,
): Result {
  const secret = joinSecretKey(uri);
  const view = call.read();
  const unit = ownUnit(call, view, name);
  const way = wayTo(view, unit, uri.model);
  if (!way) throw new JujuError('not found', `secret "${uriOfSecretKey(secret)}" not found`);
  const known = view.get('secret-consumer', secretConsumerId({ secret, unit: name }));
  const isNew = refresh || (!known && !peek);
  const reading: OtherReading = {
    id: uri.id,
    applicationToken: way.applicationToken,
    unit: Number(name.slice(name.lastIndexOf('/') + 1)),
    peek,
    refresh: isNew,
    ...defined({ revision: peek || isNew ? undefined : known?.current }),
  };
  const read =
    way.controller === undefined
      ? await readForOther(call, way.model, reading)
      : await readFollowing(call, way.controller, way.model, reading);
  const { content, latest } = read;
  const current = isNew ? latest : (known?.current ?? latest);
  const [relation] = call.read().find('relation', 'token', read.token);
  if (!relation) throw new JujuError('not found', `secret "${uriOfSecretKey(secret)}" not found`);
  if (!peek || label !== '')
    await changeUnit(call, name, (tx, now) =>
      trackOfOther(tx, now, { secret, current, label, relation: String(relation.id), latest }),
    );
  return { id: secret, revision: peek ? latest : current, content };
}

/** Finds the way to a model: an application has one token in all its relations with a model. */
function wayTo(view: View, { application }: UnitDoc, model: string): Way | undefined {
  for (const relation of view.find('relation', 'application', application)) {
    const { consumed, application: remote = '' } = relation.remote ?? {};
    const doc = consumed && view.get('remote-application', remote);
    if (doc?.model !== model || localEnd(relation).application !== application) continue;
    const { applicationToken } = consumed!;
    return { model, applicationToken, ...defined({ controller: doc.saas?.elsewhere?.controller }) };
  }
  return undefined;
}

/** Reads from a model of another controller, or of the one that it has gone to. */
async function readFollowing(
  call: Call,
  controller: string,
  model: string,
  reading: OtherReading,
): Promise<OtherRead> {
  try {
    return await readElsewhere(call, controller, model, reading);
  } catch (error) {
    const of = { consumer: call.modelUuid, model, from: controller };
    if (!(await followModel(call.store, of, error))) throw error;
    const [now] = call.read().find('remote-application', 'model', model);
    return await readElsewhere(call, now?.saas?.elsewhere?.controller ?? controller, model, reading);
  }
}

/** Reads from a model of another controller, by its facade CrossModelSecrets. */
async function readElsewhere(
  call: Call,
  controller: string,
  model: string,
  reading: OtherReading,
): Promise<OtherRead> {
  const { elsewhere, clock } = call.services;
  const known = call.read().get('external-controller', controller);
  if (!known) throw new JujuError('not found', 'the controller of the offer is no longer known to this one');
  const { addresses, caCert } = waysTo(known);
  const { signal, done } = timeLimit(clock, timeoutMs);
  let connection: PeerConnection | undefined;
  try {
    connection = await elsewhere.connect({
      addresses,
      caCert,
      modelUuid: model,
      login: { tag: 'user-jujuanonymous', password: '' },
      signal,
      clock,
      answerMax: limits.peerAnswer.max,
    });
    return await new Elsewhere(call, connection, { caCert, signal, model }).read(reading);
  } catch (error) {
    if (error instanceof JujuError && error.code !== 'try again') throw error;
    throw new JujuError('try again', `cannot connect to external controller: ${(error as Error).message}`);
  } finally {
    done();
    void connection?.close();
  }
}

interface How {
  readonly caCert: string;
  readonly signal: AbortSignal;
  readonly model: string;
}

class Elsewhere {
  readonly #call: Call;
  readonly #connection: PeerConnection;
  readonly #how: How;

  constructor(call: Call, connection: PeerConnection, how: How) {
    this.#call = call;
    this.#connection = connection;
    this.#how = how;
  }

  async read(reading: OtherReading): Promise<OtherRead> {
    const item = {
      uri: uriOfSecretKey(joinSecretKey({ id: reading.id, model: this.#how.model })),
      'application-token': reading.applicationToken,
      'unit-id': reading.unit,
    };
    const scope = await this.#ask('GetSecretAccessScope', item);
    const { result: token = '' } = only(readAnswer(peerAnswers.secretScope, scope));
    const macaroon = this.#macaroonOf(token);
    const { peek, refresh, revision } = reading;
    const asked = {
      ...item,
      'source-controller-uuid': this.#call.store.read().in('').get('controller', 'self')?.uuid ?? '',
      'bakery-version': 3,
      ...defined({ peek: peek || undefined, refresh: refresh || undefined, revision }),
    };
    const answer = await this.#authorized(macaroon, (macaroons) =>
      this.#ask('GetSecretContentInfo', { ...asked, macaroons }),
    );
    const { content, 'latest-revision': latest } = only(readAnswer(peerAnswers.secretContent, answer));
    if (!content?.data)
      throw new JujuError(
        'not supported',
        'the content of the secret is in a secret backend of another controller, which is not read from here',
      );
    if (latest == null)
      throw new JujuError('not valid', "the other controller's answer has no latest revision");
    checkContent(content.data);
    return { content: content.data, latest, token };
  }

  /** Returns the macaroon of the relation by which the secret is read. */
  #macaroonOf(token: string): unknown {
    const [relation] = this.#call.read().find('relation', 'token', token);
    const sealed = relation?.remote?.consumed?.macaroon;
    if (sealed === undefined) throw new JujuError('unauthorized access', 'permission denied');
    return JSON.parse(this.#call.services.sealer.open(sealed)) as unknown;
  }

  async #ask(method: string, item: object): Promise<unknown> {
    const params = { args: [item] };
    const answer = await this.#connection.call('CrossModelSecrets', method, params, {
      signal: this.#how.signal,
    });
    only(readAnswer(peerAnswers.done, answer));
    return answer;
  }

  /** Makes a call with a macaroon, and once more with its discharges when these are asked for. */
  async #authorized<R>(macaroon: unknown, call: (macaroons: readonly unknown[]) => Promise<R>): Promise<R> {
    try {
      return await call([macaroon]);
    } catch (error) {
      if (!hasCode(error, 'macaroon discharge required')) throw error;
      const { caCert, signal } = this.#how;
      const { info } = error as JujuError;
      const asked = info?.['bakery-macaroon'] ?? info?.['macaroon'];
      return await call(await this.#call.services.elsewhere.discharge({ macaroon: asked, caCert, signal }));
    }
  }
}
