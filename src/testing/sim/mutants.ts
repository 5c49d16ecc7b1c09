/** Bugs that the product must not have: each is inserted in memory, and the simulation has to find it. */
import { attached, cutOff, heldAgain, heldNoMore } from './mutant-scripts.ts';
import type { Mutant } from './mutant.ts';
import { mutantsOfAccess } from './mutants-of-access.ts';
import { mutantsOfFiles } from './mutants-of-files.ts';
import { mutantsOfInstances } from './mutants-of-instances.ts';
import { mutantsOfTasks } from './mutants-of-tasks.ts';
import { mutantsOfMigration } from './mutants-of-migration.ts';
import { mutantsOfOffers } from './mutants-of-offers.ts';
import { mutantsOfRefresh } from './mutants-of-refresh.ts';
import { mutantsOfRestore } from './mutants-of-restore.ts';
import { mutantsOfRequirements } from './mutants-of-requirements.ts';
import { mutantsOfGates } from './mutants-of-gates.ts';
import { mutantsOfSecrets } from './mutants-of-secrets.ts';
import { mutantsOfSpaces } from './mutants-of-spaces.ts';
import { mutantsOfStorage } from './mutants-of-storage.ts';

export const mutants: readonly Mutant[] = [
  // Impediments.
  {
    name: 'subordinates do not block their principal',
    file: 'core/unit/living.ts',
    find: `for (const subordinate of refs.find('unit', 'principal', name))`,
    replace: `for (const subordinate of [])`,
  },
  {
    name: 'scopes do not block a unit',
    file: 'core/unit/living.ts',
    find: `for (const { relation } of refs.find('scope', 'unit', name)) {`,
    replace: `for (const { relation } of []) {`,
  },
  {
    name: 'units do not block their machine',
    file: 'core/machine/living.ts',
    find: `for (const { name, principal } of refs.find('unit', 'machine', id))`,
    replace: `for (const { name, principal } of [])`,
  },
  {
    name: 'relations that units are in do not block their application',
    file: 'core/application/living.ts',
    find: `    yield* relation.impediments(String(id), refs);`,
    replace: `    yield* [];`,
  },
  {
    name: 'a machine goes with one of its units, not with its last',
    file: 'controller/transactions/end/remove-machine.ts',
    find: `if (!machine || isImpeded({ kind: 'machine', id }, tx)) return;`,
    replace: `if (!machine) return;`,
  },

  // Lives and numbers.
  {
    name: 'a unit that is resolved lives again',
    file: 'controller/transactions/agent/unit-agent.ts',
    find: `if (unit.resolved !== '') tx.put('unit', name, { ...unit, resolved: '' });`,
    replace: `if (unit.resolved !== '') tx.put('unit', name, { ...unit, life: 'alive', resolved: '' });`,
  },
  {
    name: 'a removed unit gives its number back',
    file: 'controller/transactions/end/remove-unit.ts',
    find: `  tx.remove('unit', unit.name);`,
    replace: `  tx.remove('unit', unit.name);
  const numbers = 'unit ' + unit.application;
  const last = tx.get('sequence', numbers);
  if (last?.next === Number(unit.name.split('/')[1]) + 1) tx.put('sequence', numbers, { ...last, next: last.next - 1 });`,
  },
  {
    name: 'a second subordinate beside the same principal',
    file: 'controller/transactions/agent/enter-scope.ts',
    find: `    if (unit.life === 'alive') return;
    throw`,
    replace: `    if (unit.life === 'alive') return;
    continue;
    throw`,
    steps: heldAgain,
  },
  {
    name: 'the record that a unit has an agent is not made',
    file: 'controller/transactions/agent/unit-agent.ts',
    find: `tx.put('unit', name, { ...unit, deployed: true });`,
    replace: ``,
  },

  // Scopes and relations.
  {
    name: 'a unit does not leave its scope',
    file: 'agent/unit/carry-out.ts',
    find: `await unlessGone(api.call('LeaveScope', { unit, relation: op.relation }, { signal }));`,
    replace: ``,
  },
  {
    name: 'the last to leave does not remove the relation',
    file: 'controller/transactions/end/leave-scope.ts',
    find: `  settleSuspension(tx, args.relation);
  removeRelationIfEmpty(tx, args.relation);`,
    replace: `  settleSuspension(tx, args.relation);`,
  },
  {
    name: 'a removed unit stays in its scopes',
    file: 'controller/transactions/end/remove-unit.ts',
    find: `    leaveScope(tx, { unit: unit.name, relation: scope.relation });`,
    replace: `    void scope;`,
  },
  {
    name: 'a dying application keeps its relations',
    file: 'controller/transactions/end/destroy-application.ts',
    find: `if (tx.get('relation', String(relation.id))) setRelationDying(tx, relation);`,
    replace: `void relation;`,
  },
  {
    name: 'a relation that goes does not take along the application that it held',
    file: 'controller/transactions/end/leave-scope.ts',
    find: `for (const endpoint of relation.endpoints) removeApplicationIfUnreferenced(tx, endpoint.application);`,
    replace: ``,
  },
  {
    name: 'a subordinate does not see that nothing holds it any more, nor does the cleaner',
    file: 'core/unit/orphan.ts',
    find: `life === 'alive' && endpoints`,
    replace: `endpoints`,
    steps: heldNoMore,
  },

  // Information for agents.
  {
    name: 'a change of a unit does not reach its agent',
    file: 'controller/watchers/agent-watcher.ts',
    find: `      (id, { before, after }) => {
        this.#dirty.add(\`unit \${id}\`);`,
    replace: `      (id, { before, after }) => {
        if (!before || !after) this.#dirty.add(\`unit \${id}\`);`,
  },
  {
    name: 'a new relation is not looked at',
    file: 'controller/watchers/agent-watcher.ts',
    find: `        this.#dirty.add(\`relation \${id}\`);
        this.#stale = true;`,
    replace: `        this.#dirty.add(\`relation \${id}\`);`,
  },
  {
    name: 'changed settings do not reach the other side',
    file: 'controller/watchers/agent-watcher.ts',
    find: `if (owner.includes('/')) member(settings);`,
    replace: `void owner;`,
  },
  {
    name: 'settings change and their version does not',
    file: 'controller/transactions/agent/set-databag.ts',
    find: `version: (old?.version ?? 0) + 1`,
    replace: `version: old?.version ?? 1`,
  },
  {
    name: 'records that were removed while an agent was away stay in its mirror',
    file: 'agent/uplink.ts',
    find: `    mirror.restart();`,
    replace: ``,
  },
  {
    name: 'an agent does not hear of removals',
    file: 'agent/mirror.ts',
    find: `if (value === null) target.forget(key);`,
    replace: `if (value === null) continue;`,
  },
  {
    name: 'a worker that is woken while it works does not run again',
    file: 'kit/reconciler.ts',
    find: `if (this.#dirty || signal.aborted) continue;`,
    replace: `if (signal.aborted) continue;`,
  },

  // Resources.
  {
    name: 'units are not told of an attached resource',
    file: 'controller/transactions/shared/resources.ts',
    find: `touchApplication(tx, application);`,
    replace: `void application;`,
  },
  {
    name: 'a changed resource does not reach agents that are connected',
    file: 'controller/watchers/concerns-agents.ts',
    find: `    a.charmModifiedVersion !== b.charmModifiedVersion ||
`,
    replace: ``,
    steps: attached,
  },

  // Hooks.
  {
    name: 'an old connection of an agent is still heard',
    file: 'controller/server/presence.ts',
    find: `if (previous) previous.superseded();`,
    replace: `if (previous) void previous;`,
    steps: cutOff,
  },
  {
    name: 'the state after a hook is not committed with it',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `    agent: commit.agentState,`,
    replace: `    agent: state?.agent ?? null,`,
  },
  {
    name: 'a hook starts before its state is saved',
    file: 'agent/unit/run-hook-operation.ts',
    find: `await Promise.all([state.save(signal), announce(world, hook, signal, debug !== undefined)]);`,
    replace: `await announce(world, hook, signal, debug !== undefined);`,
  },
  {
    name: 'departed comes before the first changed',
    file: 'core/unit/next-relation-step.ts',
    find: `  if (joined !== '') {`,
    replace: `  if (joined !== '' && joined in members) {`,
  },
  {
    name: 'broken comes before departed',
    file: 'core/unit/next-relation-step.ts',
    find: `  if (departed !== undefined) {`,
    replace: `  if (departed !== undefined && !ends) {`,
  },
  {
    name: 'a relation is created again with each change',
    file: 'core/unit/advance.ts',
    find: `return { ...relation, created: true };`,
    replace: `return relation;`,
  },
  {
    name: 'a unit ends without its stop hook',
    file: 'core/unit/next-operation.ts',
    find: `if (local.started && !local.stopped) return runHook({ kind: 'stop' });`,
    replace: ``,
  },
  {
    name: 'a unit is not told of its new configuration',
    file: 'core/unit/next-operation.ts',
    find: `if (local.configHash !== remote.configHash) return`,
    replace: `if (local.configHash === '') return`,
  },

  // Removal of units and machines.
  {
    name: 'a dead unit is not removed',
    file: 'agent/machine/deployer.ts',
    find: `      record.life === 'dead' ||
`,
    replace: ``,
  },
  {
    name: 'a recalled unit leaves its files',
    file: 'agent/machine/deployer.ts',
    find: `    await host.remove();`,
    replace: ``,
  },
  {
    name: 'a machine does not go with its last unit',
    file: 'controller/transactions/end/remove-machine.ts',
    find: `machine.life === 'dying' || (machine.life === 'alive' && machine.removeWhenEmpty && !isAwaited(tx, id));`,
    replace: `machine.life === 'dying';`,
  },
  {
    name: 'the deadline of force is twice as far',
    file: 'controller/transactions/end/force.ts',
    find: `Math.max(maxWaitMs, 0)`,
    replace: `2 * Math.max(maxWaitMs, 0)`,
  },
  {
    name: 'forced units are not cleared at their deadline',
    file: 'controller/workers/force-clearer.ts',
    find: `forcedKinds.forEach(addKind);`,
    replace: `(['application', 'relation'] as const).forEach(addKind);`,
  },

  // Instances.
  ...mutantsOfInstances,
  ...mutantsOfRequirements,
  ...mutantsOfRestore,
  ...mutantsOfGates,
  ...mutantsOfTasks,
  ...mutantsOfRefresh,
  ...mutantsOfSecrets,
  ...mutantsOfStorage,
  ...mutantsOfSpaces,
  ...mutantsOfOffers,
  ...mutantsOfMigration,
  ...mutantsOfAccess,
  ...mutantsOfFiles,
  // Leadership.
  {
    name: 'a held lease is given to any unit that claims it',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (holder !== '' && holder !== unit.name)`,
    replace: `if (false)`,
  },
  {
    name: 'writes of a leader are not fenced by its lease',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (leaderOf(tx, unit.application, tx.now) !== unit.name)`,
    replace: `if (false)`,
    hours: 0.3,
  },

  // Payloads.
  {
    name: 'payloads of a removed unit stay',
    file: 'controller/transactions/end/remove-unit.ts',
    find: `  tx.remove('payloads', unit.name);`,
    replace: ``,
  },
  {
    name: 'a payload that is registered again is not replaced',
    file: 'core/payloads/payloads.ts',
    find: `return { ...before, [key]: { class: name, id, type, labels, status: 'running' } };`,
    replace: `return { [key]: { class: name, id, type, labels, status: 'running' }, ...before };`,
  },

  // The store.
  {
    name: 'an answer comes before the change is durable',
    file: 'store/mirror/mirrored-store.ts',
    find: `      await this.#journal.append(`,
    // The first changes make the world, which would wait for ever if they were answered so.
    replace: `      if (group[0]!.commit.revision > 20)
        for (const { settle } of group) for (const { resolve } of settle) resolve();
      await this.#journal.append(`,
    hours: 0.3,
  },
  {
    name: 'changes that the disk refused are not undone',
    file: 'store/mirror/mirrored-store.ts',
    find: `this.#apply(change, change.after, change.before, changed);`,
    replace: `void changed;`,
    hours: 0.3,
  },
];

/** Returns the mutant. Errors: when there is none of that name. */
export function mutantNamed(name: string): Mutant {
  const found = mutants.find((one) => one.name === name);
  if (!found) throw new RangeError(`there is no mutant "${name}"`);
  return found;
}
