/**
 * An offering model as a consuming one knows it. All that crosses from one model to another goes through this contract
 * (offers.md#one-contract): the models may be on one controller, as here, or on two.
 */
import type { Entities } from '../core/kinds.ts';
import { JujuError } from '../core/errors.ts';
import { parseCidrs } from '../core/network/network-info.ts';
import { refusedIngress } from '../core/network/saas-ingress.ts';
import type { RelationDoc } from '../core/relation/document.ts';
import { localEnd } from '../core/relation/ends.ts';
import { readSide, unitsOfSide, type SideChange, type SideState } from '../core/relation/side.ts';
import { deriveApplicationStatus, type Status } from '../core/status.ts';
import { workloadStatus } from '../core/unit/workload-status.ts';
import type { Store } from '../store/store.ts';
import { applySide, registerRelation, type Registration } from './transactions/remote-side.ts';
import { statusOf, type View } from './transactions/tx.ts';
import type { Services } from './services.ts';

export interface OfferingModel {
  /** Makes the other side of a relation, once. Errors: those of registerRelation. */
  register(args: Registration): Promise<void>;
  /**
   * Tells what this side is now; a relation that is gone hears nothing. Errors: `forbidden`, after all was taken over,
   * when units come from a network from which nobody is let in.
   */
  publish(token: string, state: SideChange): Promise<void>;
  /** Names of the units that the other side has or had; undefined: it is gone. */
  units(token: string): Promise<readonly string[] | undefined>;
  /** What the other side is now, with these of its units; undefined: it is gone. */
  read(token: string, units: readonly string[]): Promise<SideState | undefined>;
  /** Status of the offered application; undefined: the offer is gone. */
  offerStatus(offerUuid: string): Promise<Status | undefined>;
  /** Calls back when a unit of the other side, or ('') the side itself, changes. Returns what ends that. */
  watch(token: string, changed: (unit: string) => void): () => void;
  /** Calls back when the status of an offered application may have changed. */
  watchOffers(changed: () => void): () => void;
}

const by = 'remote-relations';

/** A model of this controller. */
export function localModel(
  store: Store<Entities>,
  { dispatch }: Pick<Services, 'dispatch'>,
  uuid: string,
): OfferingModel {
  const read = (): View => store.read().in(uuid);
  const find = (view: View, token: string): RelationDoc | undefined =>
    [...view.find('relation', 'token', token)].find(({ remote }) => remote?.offered);
  return {
    register: (args) => store.change((root) => registerRelation(root.in(uuid), args), by),
    async publish(token, state) {
      const isThere = await store.change((root) => {
        const space = root.in(uuid);
        const relation = find(space, token);
        if (relation) applySide(space, String(relation.id), state);
        return relation !== undefined;
      }, by);
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
      return watchSide(dispatch, uuid, relation, changed);
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
  if (refused !== undefined)
    throw new JujuError(
      'forbidden',
      `network ${refused} is not within saas-ingress-allow of the offering model`,
    );
}

/** The CIDRs from which units of the model are seen. */
export function egressOf(view: View): string[] {
  return parseCidrs(view.in('').get('model', view.space)?.config['egress-subnets']);
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
