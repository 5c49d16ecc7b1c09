/**
 * The two sides of a relation between models (offers.md#two-sides). Each transaction here changes one model only; news
 * of the other model comes as an argument.
 */
import { permissionRevoked } from '../../../core/remote-application/trouble.ts';
import { allows, grantee } from '../../../core/access/access-of.ts';
import { endpointsOf } from '../../../core/charm/metadata.ts';
import { checkLimit, cut, limits } from '../../../core/limits.ts';
import { JujuError, notFound, permissionDenied } from '../../../core/errors.ts';
import { checkAddRelation } from '../../../core/relation/check-add.ts';
import { tellerOf } from '../../../core/relation/told-by.ts';
import { defined } from '../../../core/defined.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import { relationKey } from '../../../core/relation/key.ts';
import { remoteEnd } from '../../../core/relation/ends.ts';
import type { SideChange } from '../../../core/relation/side.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import { scopeId } from '../../../core/scope/document.ts';
import { settingsId } from '../../../core/settings/document.ts';
import type { Status } from '../../../core/status.ts';
import { sideOf } from '../begin/add-relation.ts';
import { putRelation } from '../begin/put-relation.ts';
import { setRelationDying } from '../end/destroy-relation.ts';
import { proxyName } from './other-models-readings.ts';
import { forgetReading } from '../shared/secrets.ts';
import { removeRelationIfEmpty } from '../end/leave-scope.ts';
import { markTold, setConsumed } from '../end/mark-told.ts';
import { forgetControllerIfUnused } from '../shared/external-controllers.ts';
import { settleRelations } from '../shared/requirements.ts';
import { setSuspended } from '../end/suspend-relation.ts';
import { aliveModel, mustGet, setStatus, statusOf, type Tx } from '../tx.ts';

/** Facts of the consuming side about a relation whose offering side is to be made. */
export interface Registration {
  readonly token: string;
  readonly applicationToken: string;
  /** UUID of the consuming model. */
  readonly model: string;
  readonly offerUuid: string;
  /** The endpoint's name in the offer. */
  readonly offerEndpoint: string;
  /** The consuming application's endpoint. */
  readonly endpoint: RemoteEndpoint;
  /** The user who consumed the offer. */
  readonly user: string;
}

/**
 * Makes the offering side of a relation, in the offering model's space; once. Errors: `not found` (offer);
 * `unauthorized access`; `already exists` while an older relation of the same ends is dying; those of checkAddRelation.
 */
export function registerRelation(tx: Tx, args: Registration): void {
  const [offer] = tx.find('offer', 'uuid', args.offerUuid);
  const [known] = tx.find('relation', 'token', args.token);
  if (known) {
    const { offered } = known.remote ?? {};
    // A token gives access to whoever knows it, so it belongs to the user who registered it.
    if (offered?.user === args.user && offered.model === args.model && offered.offer === offer?.name) return;
    throw permissionDenied();
  }
  aliveModel(tx);
  if (!offer) throw notFound('application offer', args.offerUuid);
  const root = tx.in('');
  const user = grantee(root, args.user);
  const object = { kind: 'offer', id: offer.uuid, model: tx.space } as const;
  if (!user || !allows(root, user, object, 'consume')) throw permissionDenied();
  const name = Object.hasOwn(offer.endpoints, args.offerEndpoint)
    ? offer.endpoints[args.offerEndpoint]!
    : undefined;
  const application = mustGet(tx, 'application', offer.application);
  const { meta } = mustGet(tx, 'charm', application.charmUrl);
  const endpoint = name === undefined ? undefined : endpointsOf(meta)[name];
  if (!endpoint)
    throw new JujuError('not found', `offer "${offer.name}" has no endpoint "${args.offerEndpoint}"`);
  const proxy = proxyName(args.applicationToken);
  putProxy(tx, proxy, args);
  const sides = [
    sideOf(tx, { ...endpoint, application: application.name }),
    sideOf(tx, { ...args.endpoint, scope: 'global', optional: false, application: proxy }),
  ] as const;
  const [existing] = tx.find('relation', 'key', relationKey(sides.map((side) => side.endpoint)));
  const { key, endpoints } = checkAddRelation(sides, existing);
  const offered = { offer: offer.name, user: user.name, model: args.model, ingress: [] };
  const remote = { token: args.token, application: proxy, offered };
  settleRelations(tx, [putRelation(tx, { key, endpoints, remote })]);
}

function putProxy(tx: Tx, name: string, { model, endpoint }: Registration): void {
  const known = tx.get('remote-application', name);
  if (known && (known.model !== model || known.saas)) throw permissionDenied();
  const others = known?.endpoints.filter((one) => one.name !== endpoint.name) ?? [];
  if (known && others.length < known.endpoints.length) return;
  const { createdAt = tx.now } = known ?? {};
  tx.put('remote-application', name, { name, model, endpoints: [...others, endpoint], createdAt });
}

/** Records, on the consuming side, that the offering side was made. */
export function markRegistered(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (relation?.remote?.consumed?.state !== 'new') return;
  setConsumed(tx, relation, 'registered');
  clearProblem(tx, id);
}

/** Maximum number of units of the other side that leave in one change. */
const leaversMax = 1_000;

/**
 * Records, on the consuming side, why a relation is not carried: its offering side cannot be made, or it failed. A
 * relation that is not allowed any more is suspended, and left by that side's units, of which nothing is heard now.
 */
export function cannotCarry(tx: Tx, id: string, { code, message }: JujuError): void {
  const relation = tx.get('relation', id);
  if (relation?.life !== 'alive') return;
  const isNew = relation.remote?.consumed?.state === 'new';
  // The status of what was consumed tells that its controller is not reached.
  if (code === 'try again' && !isNew) return;
  if (isNew || code !== 'unauthorized access') return setStatus(tx, 'relation', id, 'error', message);
  setSuspended(tx, relation, { reason: permissionRevoked });
  const others = `${id} ${remoteEnd(relation)?.application ?? ''}`;
  for (const scope of [...tx.find('scope', 'side', others)].slice(0, leaversMax))
    tx.remove('scope', scopeId(scope));
}

/** Ends the status by which a relation told of a problem. */
export function clearProblem(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation || statusOf(tx, 'relation', id, relation.createdAt).status !== 'error') return;
  const { suspended } = relation;
  setStatus(tx, 'relation', id, suspended ? 'suspended' : 'joining', suspended?.reason ?? '');
}

/** Keeps, on the consuming side, the macaroon to carry a relation that the other controller gave; sealed. */
export function keepMacaroon(tx: Tx, token: string, macaroon: string): void {
  for (const relation of tx.find('relation', 'token', token)) {
    const { remote } = relation;
    if (!remote?.consumed) continue;
    const consumed = { ...remote.consumed, macaroon };
    tx.put('relation', String(relation.id), { ...relation, remote: { ...remote, consumed } });
  }
}

/** Keeps, on the consuming side, a macaroon in the place of another one, wherever that is; both sealed. */
export function replaceMacaroon(tx: Tx, model: string, old: string, macaroon: string): void {
  for (const remote of tx.find('remote-application', 'model', model)) {
    const { saas } = remote;
    if (saas?.elsewhere?.macaroon === old)
      tx.put('remote-application', remote.name, {
        ...remote,
        saas: { ...saas, elsewhere: { ...saas.elsewhere, macaroon } },
      });
    for (const { remote: of } of tx.find('relation', 'application', remote.name))
      if (of?.consumed?.macaroon === old) keepMacaroon(tx, of.token, macaroon);
  }
  for (const end of tx.list('relation-end'))
    if (end.macaroon === old) tx.put('relation-end', end.token, { ...end, macaroon });
}

/** Ends the consuming side of a relation whose offering side is gone, or has heard of the end. */
export function otherSideEnded(tx: Tx, id: string): void {
  const relation = tx.get('relation', id);
  if (!relation?.remote?.consumed) return;
  markTold(tx, relation);
  if (relation.life === 'alive') {
    endSide(tx, mustGet(tx, 'relation', id));
    return;
  }
  removeRelationIfEmpty(tx, id);
}

function endSide(tx: Tx, relation: RelationDoc): void {
  setRelationDying(tx, relation);
  settleRelations(tx, [relation]);
}

/**
 * Applies what the other side tells of itself; without effect when the relation is gone. Errors: `quota limit
 * exceeded`.
 */
export function applySide(tx: Tx, id: string, state: SideChange): void {
  const relation = tx.get('relation', id);
  const end = relation && remoteEnd(relation);
  if (!relation?.remote || !end) return;
  const name = (number: number): string => `${end.application}/${number}`;
  for (const number of state.departed) tx.remove('scope', scopeId({ relation: id, unit: name(number) }));
  if (relation.remote.offered) forgetReadings(tx, state.departed.map(name));
  if (relation.life === 'alive') {
    for (const { number, settings } of state.units) {
      const unit = name(number);
      const scope = scopeId({ relation: id, unit });
      const isNew = !tx.get('settings', settingsId({ relation: id, owner: unit }));
      if (isNew && state.isForeign) checkRoom(tx, id, end.application);
      if (settings || isNew) replaceDatabag(tx, relation, unit, settings ?? {});
      if (!tx.get('scope', scope))
        tx.put('scope', scope, {
          relation: id,
          unit,
          application: end.application,
          role: end.role,
          container: '',
          departing: false,
          remote: true,
        });
    }
    if (state.settings) replaceDatabag(tx, relation, end.application, state.settings);
  }
  if (relation.remote.offered) {
    if (state.networks) setIngress(tx, id, state.networks);
  } else setSuspended(tx, relation, state.suspended);
  const now = tx.get('relation', id);
  if (now?.life === 'alive' && state.life !== 'alive') endSide(tx, now);
}

/**
 * Checks the number of the other side's units; those that have left count, too, as their settings stay. Errors: `quota
 * limit exceeded`.
 */
function checkRoom(tx: Tx, relation: string, application: string): void {
  const own = tx.get('settings', settingsId({ relation, owner: application })) ? 1 : 0;
  checkLimit(
    limits.remoteUnitsOfRelation,
    tx.count('settings', 'side', `${relation} ${application}`) - own + 1,
  );
}

/** Forgets what units of the other side read: the records are not kept for them any more. */
function forgetReadings(tx: Tx, units: readonly string[]): void {
  for (const unit of units)
    for (const reading of tx.find('secret-consumer', 'unit', unit)) forgetReading(tx, reading);
}

/** Replaces a whole databag; equal values change nothing. */
function replaceDatabag(
  tx: Tx,
  of: RelationDoc,
  owner: string,
  values: Readonly<Record<string, string>>,
): void {
  const relation = String(of.id);
  const id = settingsId({ relation, owner });
  const old = tx.get('settings', id);
  if (old && sameValues(old.values, values)) return;
  const version = (old?.version ?? 0) + 1;
  tx.put('settings', id, { relation, owner, values, version, ...defined({ toldBy: tellerOf(of) }) });
}

function sameValues(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}

function setIngress(tx: Tx, id: string, ingress: readonly string[]): void {
  const relation = tx.get('relation', id);
  const { remote } = relation ?? {};
  if (!relation || !remote?.offered || remote.offered.ingress.join() === ingress.join()) return;
  tx.put('relation', id, { ...relation, remote: { ...remote, offered: { ...remote.offered, ingress } } });
}

/** Records that the other side has heard of the end of a relation, or never will. */
export function endIsTold(tx: Tx, token: string): void {
  const { controller } = tx.get('relation-end', token) ?? {};
  tx.remove('relation-end', token);
  forgetControllerIfUnused(tx, controller);
}

/** Records the status of what was consumed, as it was heard. */
export function setSaasStatus(tx: Tx, name: string, heard: Status): void {
  const remote = tx.get('remote-application', name);
  if (!remote?.saas) return;
  const status = { ...heard, message: cut(limits.statusMessage, heard.message) };
  const before = remote.saas.status;
  if (before.status === status.status && before.message === status.message) return;
  tx.put('remote-application', name, { ...remote, saas: { ...remote.saas, status } });
}
