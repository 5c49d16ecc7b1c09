/**
 * An offering model as a consuming one knows it. All that crosses from one model to another goes through this contract
 * (offers.md#one-contract): the models may be on one controller, as here, or on two.
 */
import { networkRefused } from '../core/remote-application/trouble.ts';
import type { Entities } from '../core/kinds.ts';
import { hasCode, JujuError } from '../core/errors.ts';
import { isMoved } from '../core/migration/phases.ts';
import { parseCidrs } from '../core/network/network-info.ts';
import { refusedIngress } from '../core/network/saas-ingress.ts';
import type { RelationDoc } from '../core/relation/document.ts';
import { localEnd } from '../core/relation/ends.ts';
import { readSide, unitsOfSide, type SideChange, type SideState } from '../core/relation/side.ts';
import { deriveApplicationStatus, type Status } from '../core/status.ts';
import { workloadStatus } from '../core/unit/workload-status.ts';
import type { Store } from '../store/store.ts';
import { readByOther } from './transactions/remote/other-models-readings.ts';
import { applySide, registerRelation, type Registration } from './transactions/remote/remote-side.ts';
import { statusOf, type Tx, type View } from './transactions/tx.ts';
import type { Services } from './services.ts';

export interface OfferingModel {
  /** Makes the offering side of a relation, once. Errors: those of registerRelation. */
  register(args: Registration): Promise<void>;
  /**
   * Publishes the consuming side's present state, unless the relation is gone. Errors: `forbidden`, after the state was
   * taken over, when units come from a network from which nobody is let in.
   */
  publish(token: string, state: SideChange): Promise<void>;
  /** Names of the units that the offering side has or had; undefined when that side is gone. */
  units(token: string): Promise<readonly string[] | undefined>;
  /** State of the offering side, with these of its units; undefined when that side is gone. */
  read(token: string, units: readonly string[]): Promise<SideState | undefined>;
  /** Status of the offered application; undefined when the offer is gone. */
  offerStatus(offerUuid: string): Promise<Status | undefined>;
  /** Secrets of the offering model that the consuming side reads, with newest revisions; `only`: these of them. */
  revisions(token: string, only?: readonly string[]): Promise<readonly SecretNews[]>;
  /**
   * Calls back when a unit of the offering side, or ('') the side itself, changes, or (nameOfSecret) there is a new
   * revision of a secret that is read. Returns what ends the calls.
   */
  watch(token: string, changed: (unit: string) => void): () => void;
  /** Calls back when the status of an offered application may have changed. */
  watchOffers(changed: () => void): () => void;
}

/** A secret with its newest revision. */
export interface SecretNews {
  readonly id: string;
  readonly revision: number;
}

const ofSecret = 'secret:';
/** Key of a secret among the changes that the other side reports. */
export const nameOfSecret = (id: string): string => `${ofSecret}${id}`;
/** Id of the secret that a name of nameOfSecret stands for; undefined for a name of something else. */
export const secretOfName = (name: string): string | undefined =>
  name.startsWith(ofSecret) ? name.slice(ofSecret.length) : undefined;

const by = 'remote-relations';

/** A model of this controller. */
export function localModel(
  store: Store<Entities>,
  { dispatch }: Pick<Services, 'dispatch'>,
  uuid: string,
): OfferingModel {
  /** Looks at the model. Errors: `try again` for one that has gone: its records may be removed already. */
  const read = (): View => {
    const root = store.read();
    if (isMoved(root.get('migration', uuid)))
      throw new JujuError('try again', 'the model has gone to another controller');
    return root.in(uuid);
  };
  const change = async <T>(fn: (space: Tx) => T): Promise<T> => {
    read();
    try {
      return await store.change((root) => fn(root.in(uuid)), by);
    } catch (error) {
      // While it goes, nothing in it changes; whoever tells it something tells it later where it is then.
      throw hasCode(error, 'model migration in progress') ? new JujuError('try again', error.message) : error;
    }
  };
  const find = (view: View, token: string): RelationDoc | undefined =>
    [...view.find('relation', 'token', token)].find(({ remote }) => remote?.offered);
  return {
    register: (args) => change((space) => registerRelation(space, args)),
    async publish(token, state) {
      const isThere = await change((space) => {
        const relation = find(space, token);
        if (relation) applySide(space, String(relation.id), state);
        return relation !== undefined;
      });
      if (isThere) checkIngress(read(), state.networks ?? []);
    },
    async units(token) {
      const view = read();
      const relation = find(view, token);
      return relation && [...unitsOfSide(view, relation)];
    },
    async read(token, units) {
      const view = read();
      const relation = find(view, token);
      return relation && readSide(view, relation, { units, egress: egressOf(view) });
    },
    async revisions(token, only) {
      const view = read();
      const relation = find(view, token);
      return relation ? readByOther(view, String(relation.id), only) : [];
    },
    async offerStatus(offerUuid) {
      const view = read();
      const [offer] = view.find('offer', 'uuid', offerUuid);
      const application = offer && view.get('application', offer.application);
      if (!application) return undefined;
      const own = statusOf(view, 'application', application.name, application.createdAt);
      if (own.status !== 'unset') return own;
      const units = [...view.find('unit', 'application', application.name)];
      return deriveApplicationStatus(
        own,
        units.map((unit) => workloadStatus(unit, view)),
      );
    },
    watch(token, changed) {
      const relation = find(read(), token);
      if (!relation) return () => undefined;
      const ends = [
        watchSide(dispatch, uuid, relation, changed),
        watchRead(dispatch, read(), String(relation.id), (id) => changed(nameOfSecret(id))),
      ];
      return () => ends.forEach((end) => end());
    },
    watchOffers(changed) {
      const ends = (['offer', 'application', 'unit', 'status'] as const).map((kind) =>
        dispatch.on(uuid, kind, changed),
      );
      return () => ends.forEach((end) => end());
    },
  };
}

function checkIngress(view: View, networks: readonly string[]): void {
  const setting = view.in('').get('model', view.space)?.config['saas-ingress-allow'];
  const [refused] = refusedIngress(setting, networks);
  if (refused !== undefined) throw new JujuError('forbidden', networkRefused(refused));
}

/** The CIDRs from which units of the model are seen. */
export function egressOf(view: View): string[] {
  return parseCidrs(view.in('').get('model', view.space)?.config['egress-subnets']);
}

/** Calls back with secrets that the other side of a relation begins to read, and with those that get new revisions. */
function watchRead(
  dispatch: Services['dispatch'],
  view: View,
  relation: string,
  changed: (id: string) => void,
): () => void {
  const { space } = view;
  const followed = new Map<string, () => void>();
  const follow = (secret: string): void => {
    if (followed.has(secret)) return;
    const end = dispatch.on(space, `secret ${secret}`, ({ before, after }) => {
      if (after && before?.latest !== after.latest) changed(secret);
      if (after) return;
      followed.get(secret)?.();
      followed.delete(secret);
    });
    followed.set(secret, end);
  };
  const end = dispatch.on(space, `secret-consumer@relation ${relation}`, ({ before, after }) => {
    if (before || !after) return;
    follow(after.secret);
    changed(after.secret);
  });
  for (const { secret } of view.find('secret-consumer', 'relation', relation)) follow(secret);
  return () => {
    end();
    for (const endOne of followed.values()) endOne();
  };
}

/** Calls back when a unit of the side that is in this model, or ('') the side itself, changes. */
export function watchSide(
  dispatch: Services['dispatch'],
  uuid: string,
  relation: RelationDoc,
  changed: (unit: string) => void,
): () => void {
  const id = String(relation.id);
  const { application } = localEnd(relation);
  const prefix = `${application}/`;
  const of = (owner: string | undefined): void => {
    if (owner === application) changed('');
    else if (owner?.startsWith(prefix)) changed(owner);
  };
  const ends = [
    dispatch.on(uuid, `relation ${id}`, () => changed('')),
    dispatch.on(uuid, `scope@relation ${id}`, ({ before, after }) => of((after ?? before)?.unit)),
    dispatch.on(uuid, `settings@relation ${id}`, ({ before, after }) => of((after ?? before)?.owner)),
  ];
  return () => ends.forEach((end) => end());
}
