/** Bugs in relations with applications of other models. */
import type { Mutant } from './mutant.ts';
import {
  changedApart,
  endedApart,
  forcedApart,
  ofTwoModels,
  registeredTwice,
  revoked,
  suspended,
} from './offer-scripts.ts';

export const mutantsOfOffers: readonly Mutant[] = [
  {
    name: 'units of another model that have left a relation stay in it',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `for (const number of state.departed) tx.remove`,
    replace: `for (const number of [] as number[]) tx.remove`,
    steps: ofTwoModels,
  },
  {
    name: 'settings from another model are taken over once',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `  if (old && sameValues(old.values, values)) return;`,
    replace: `  if (old) return;`,
    steps: ofTwoModels,
  },
  {
    name: 'settings from another model count for nobody',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `owner, values, version, ...defined({ toldBy: tellerOf(of) }) });`,
    replace: `owner, values, version });`,
    steps: ofTwoModels,
  },
  {
    name: 'what another model’s units read counts for nobody',
    file: 'controller/transactions/remote/other-models-readings.ts',
    find: `    ...defined({ toldBy: tellerOf(relation) }),
`,
    replace: ``,
    steps: ofTwoModels,
  },
  {
    name: 'units do not hear of new revisions of another model’s secret',
    file: 'controller/transactions/remote/other-models-readings.ts',
    find: `consumer.latest < latest)`,
    replace: `consumer.latest > latest)`,
    steps: ofTwoModels,
  },
  {
    name: 'what a unit of another model read is kept when it leaves the relation',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `    for (const reading of tx.find('secret-consumer', 'unit', unit)) forgetReading(tx, reading);`,
    replace: `    void unit;`,
    steps: ofTwoModels,
  },
  {
    name: 'a registration whose answer was lost is made a second time',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `  if (known) {`,
    replace: `  if (known && args.token === '') {`,
    steps: registeredTwice,
  },
  {
    name: 'the consuming model does not take over a suspension',
    file: 'controller/transactions/remote/remote-side.ts',
    find: `  } else setSuspended(tx, relation, state.suspended);`,
    replace: `  }`,
    steps: suspended,
  },
  {
    name: 'a proxy stays when its last relation is gone',
    file: 'controller/transactions/end/remove-application.ts',
    find: `  if (!remote || (remote.saas && !remote.ending)) return;`,
    replace: `  if (!remote?.ending) return;`,
    steps: ofTwoModels,
  },
  {
    name: 'the offering model does not hear that a relation ends',
    file: 'core/relation/side.ts',
    find: `    life: relation.life,`,
    replace: `    life: 'alive',`,
    steps: ofTwoModels,
  },
  {
    name: 'units of another model hold a relation that ends',
    file: 'core/scope/document.ts',
    find: `    local: (doc) => (doc.remote ? undefined : doc.relation),`,
    replace: `    local: (doc) => doc.relation,`,
    steps: ofTwoModels,
  },
  {
    name: 'changes of units that could not be told are forgotten',
    file: 'controller/workers/crossings.ts',
    find: `      // Changes that were taken out of the set may not have been sent.
      link.ours = 'all';
`,
    replace: ``,
    steps: changedApart,
  },
  {
    name: 'units of the other model that change are not looked at',
    file: 'controller/workers/crossings.ts',
    find: `          else if (unit !== '' && link.theirs !== 'all') link.theirs.add(unit);`,
    replace: `          void unit;`,
    steps: ofTwoModels,
  },
  {
    name: 'a unit stays in a relation that is suspended',
    file: 'core/unit/next-relation-step.ts',
    find: ` || relation.suspended;`,
    replace: `;`,
    steps: suspended,
  },
  {
    name: 'the relations of who may not consume an offer any more go on',
    file: 'controller/transactions/end/suspend-relation.ts',
    find: `      if (!mayConsume(space, offered)) setSuspended`,
    replace: `      if (offered.user === '') setSuspended`,
    steps: revoked,
  },
  {
    name: 'a relation is resumed though its user may not consume the offer',
    file: 'controller/transactions/end/suspend-relation.ts',
    find: `  if (!suspended && !mayConsume(tx, offered)) throw permissionDenied();
`,
    replace: ``,
    steps: revoked,
  },
  {
    name: 'access to an offer that was removed stays',
    file: 'controller/transactions/end/remove-application.ts',
    find: `    root.remove('offer-access', offerAccessId(access));`,
    replace: `    void access;`,
    steps: endedApart,
  },
  {
    name: 'the end of a relation that was removed by force is not told',
    file: 'controller/workers/crossings.ts',
    find: `        await this.#models.get(model).publish(token, removedByForce);`,
    replace: `        void removedByForce;`,
    steps: forcedApart,
  },
];
