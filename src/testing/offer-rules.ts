/** Invariants of offers and of relations with other models at every revision of one model. */
import type { Entities } from '../core/kinds.ts';
import type { Reader } from '../store/store.ts';

type Must = (holds: unknown, text: () => string) => void;

export function checkOffers(view: Reader<Entities>, must: Must): void {
  const remotes = [...view.list('remote-application')];
  const offers = [...view.list('offer')];
  const relations = [...view.list('relation')];
  const uses = new Map<string, number>();
  const tokens = new Set<string>();
  for (const { key, life, endpoints, remote } of relations) {
    const far = remotes.filter(({ name }) => endpoints.some(({ application }) => application === name));
    const what = `relation ${key}`;
    must(far.length <= 1, () => `${what} has both ends in other models`);
    must(
      remote?.application === far[0]?.name,
      () => `${what} is with ${far[0]?.name}, and says ${remote?.application}`,
    );
    if (!remote) continue;
    must(!remote.consumed !== !remote.offered, () => `${what} has not one side`);
    must(!remote.consumed === !far[0]?.saas, () => `${what} is not of the side that its application is of`);
    must(!tokens.has(remote.token), () => `${what} has the token of another relation`);
    tokens.add(remote.token);
    const offer = remote.offered?.offer;
    if (offer === undefined) continue;
    uses.set(offer, (uses.get(offer) ?? 0) + 1);
    must(life !== 'alive' || view.get('offer', offer), () => `${what} is alive and its offer is gone`);
  }
  for (const { name, application } of offers) {
    must(view.get('application', application), () => `offer ${name} has no application ${application}`);
    const counted = view.count('relation', 'offer', name);
    const stored = uses.get(name) ?? 0;
    must(counted === stored, () => `offer ${name} counts ${counted} relations, it has ${stored}`);
  }
  for (const { name, saas, ending } of remotes) {
    must(!view.get('application', name), () => `${name} is an application here and of another model`);
    const isHeld = relations.some(({ remote }) => remote?.application === name);
    must(isHeld || (saas && !ending), () => `remote application ${name} is ending and has no relation`);
  }
  for (const { unit, relation, application, remote } of view.list('scope')) {
    if (!remote) continue;
    const far = view.get('relation', relation)?.remote?.application;
    must(
      far === application && unit.startsWith(`${far}/`),
      () => `${unit} of another model is in relation ${relation} with ${far}`,
    );
  }
  checkTellers(view, must);
}

/** Checks that each record that another model fills counts for whoever it comes from, and no other record does. */
function checkTellers(view: Reader<Entities>, must: Must): void {
  const teller = (relation: string | undefined, owner: string): string | undefined => {
    const remote = relation === undefined ? undefined : view.get('relation', relation)?.remote;
    if (!remote || owner.split('/')[0] !== remote.application) return undefined;
    return remote.offered ? `user ${remote.offered.user}` : `application ${remote.application}`;
  };
  for (const { relation, owner, toldBy } of view.list('settings')) {
    const should = teller(relation, owner);
    must(
      toldBy === should,
      () => `settings of ${owner} in relation ${relation} are told by ${toldBy}, not ${should}`,
    );
  }
  for (const { secret, unit, relation, toldBy } of view.list('secret-consumer')) {
    const should = teller(relation, unit);
    must(toldBy === should, () => `the reading of ${secret} by ${unit} is told by ${toldBy}, not ${should}`);
  }
}
