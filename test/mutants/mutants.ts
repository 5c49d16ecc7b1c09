/** Bugs in parts that the simulation does not run, or not this closely: tests beside the code have to find them. */
import type { Mutant as SimulatedMutant } from '../../src/testing/sim/mutant.ts';
import { mutantsOfAccess } from './mutants-of-access.ts';
import { mutantsOfAgents } from './mutants-of-agents.ts';
import { mutantsOfModelFiles } from './mutants-of-model-files.ts';
import { mutantsOfBackups } from './mutants-of-backups.ts';
import { mutantsOfForecasts } from './mutants-of-forecasts.ts';
import { mutantsOfSuccessors } from './mutants-of-successors.ts';
import { mutantsOfUpgrades } from './mutants-of-upgrades.ts';

export interface Mutant extends Pick<SimulatedMutant, 'name' | 'file' | 'find' | 'replace'> {
  /** Test files from src/, of which at least one test must fail. */
  readonly tests: readonly string[];
}

const frames = ['wire/frames.test.ts'];
const tags = ['wire/tags.test.ts'];
const journal = [
  'store/sqlite/sqlite-journal.test.ts',
  'store/contract.test.ts',
  'store/contract-changes.test.ts',
  'store/contract-model.test.ts',
  'store/past-contract.test.ts',
  'store/sqlite/open-sqlite-store.test.ts',
  'store/sqlite/packs.test.ts',
];
const firewaller = ['controller/workers/firewaller.test.ts'];
const exitCodes = ['cli/exit-codes.test.ts'];

export const mutants: readonly Mutant[] = [
  // Messages from the wire.
  {
    name: 'keys of a request match by case',
    file: 'wire/frames.ts',
    find: `folded[key.toLowerCase()] = members[key];`,
    replace: `folded[key] = members[key];`,
    tests: frames,
  },
  {
    name: 'a request-id may be negative',
    file: 'wire/frames.ts',
    find: `if (!Number.isSafeInteger(requestId) || (requestId as number) < 0)`,
    replace: `if (!Number.isSafeInteger(requestId))`,
    tests: frames,
  },
  {
    name: 'an error without a code has an empty one',
    file: 'wire/frames.ts',
    find: `'error-code': code || undefined,`,
    replace: `'error-code': code,`,
    tests: frames,
  },
  {
    name: 'an empty error is an error',
    file: 'wire/frames.ts',
    find: `if (typeof error !== 'string' || error === '')`,
    replace: `if (typeof error !== 'string')`,
    tests: frames,
  },
  {
    name: 'an underscore in the name of a credential is not told from a separator',
    file: 'wire/tags.ts',
    find: `.replaceAll('_', '%5f')`,
    replace: ``,
    tests: tags,
  },
  {
    name: 'a unit tag is split at its first dash',
    file: 'wire/tags.ts',
    find: `const index = text.lastIndexOf(search);`,
    replace: `const index = text.indexOf(search);`,
    tests: tags,
  },

  // The journal.
  {
    name: 'the last rows of a large change are not written',
    file: 'store/sqlite/row-writer.ts',
    find: `for (let from = 0; from < changes.length;) {`,
    replace: `for (let from = 0; from === 0 || from + rowsAtOnce <= changes.length;) {`,
    tests: journal,
  },
  {
    name: 'a document of a pack that the history has forgotten is there again after a restart',
    file: 'store/sqlite/packs.ts',
    find: `if (((gone >> (count - 1 - n)) & 1) === 0)`,
    replace: `if (gone >= 0)`,
    tests: journal,
  },
  {
    name: 'a pack is deleted with the first of its documents that the history forgets',
    file: 'store/sqlite/packs.ts',
    find: `return gone === 2 ** count - 1 ? undefined : count + gone * bits;`,
    replace: `return gone > 0 ? undefined : count + gone * bits;`,
    tests: journal,
  },
  {
    name: 'the sum of a pack leaves out its count and what is forgotten of it',
    file: 'store/sqlite/rows.ts',
    find: `return pack === null ? sum : packSum(sum, pack);`,
    replace: `return sum;`,
    tests: journal,
  },
  {
    name: 'a change that failed on the disk is not taken back there',
    file: 'store/sqlite/sqlite-journal.ts',
    find: `if (this.#db.isTransaction) this.#rollback.run();`,
    replace: ``,
    tests: journal,
  },
  {
    name: 'a document that is made again has lost its past',
    file: 'store/sqlite/sqlite-journal.ts',
    find: `before?.seq ?? this.#lastRemoval(space, kind, id, removed)`,
    replace: `before?.seq ?? null`,
    tests: journal,
  },
  {
    name: 'a list of documents changes while it is gone through',
    file: 'store/mirror/entry-set.ts',
    find: `    block.entries = block.entries.slice();`,
    replace: ``,
    tests: ['store/mirror/entry-set.test.ts'],
  },

  // The firewaller.
  {
    name: 'an exposure that changes does not reach the firewall',
    file: 'controller/workers/firewaller.ts',
    find: `if (!sameJson(before?.exposed, after?.exposed)) this.#lookAt((after ?? before)!.name);`,
    replace: ``,
    tests: firewaller,
  },
  {
    name: 'a change of ssh-allow does not reach the firewall',
    file: 'controller/workers/firewaller.ts',
    find: `differs('ssh-allow')`,
    replace: `differs('ssh-deny')`,
    tests: firewaller,
  },
  {
    name: 'a firewall that refused is not asked again',
    file: 'controller/workers/instance-firewalls.ts',
    find: `        refused.add(id, error);`,
    replace: ``,
    tests: firewaller,
  },
  {
    name: 'a firewall that refused is taken for set',
    file: 'controller/workers/instance-firewalls.ts',
    find: `        this.#rulesSet.delete(instance.id);
        refused.add(id, error);`,
    replace: `        this.#rulesSet.set(instance.id, text);
        refused.add(id, error);`,
    tests: firewaller,
  },
  {
    name: 'ports of a container are opened at the container',
    file: 'controller/workers/firewaller.ts',
    find: `machine === undefined || isEmpty(ports) ? noMachines : [hostOf(machine)]`,
    replace: `machine === undefined || isEmpty(ports) ? noMachines : [machine]`,
    tests: firewaller,
  },

  // Ends of commands.
  {
    name: 'a command line that is wrong ends as an error does',
    file: 'cli/run.ts',
    find: `if (error instanceof UsageError) return 2;`,
    replace: ``,
    tests: exitCodes,
  },
  {
    name: 'a command that has said what is wrong ends as one that is done',
    file: 'cli/run.ts',
    find: `if (error instanceof Exit) return error.code;`,
    replace: `if (error instanceof Exit) return 0;`,
    tests: exitCodes,
  },
  {
    name: 'an interrupted command ends as an error does',
    file: 'cli/run.ts',
    find: `if (io.signal.aborted) return 130;`,
    replace: ``,
    tests: exitCodes,
  },
  {
    name: 'an unknown command ends as one that is done',
    file: 'cli/run.ts',
    find: `  io.stderr.write(didYouMean(name, [...names, ...pluginNames(io)]));
  return 2;`,
    replace: `  io.stderr.write(didYouMean(name, [...names, ...pluginNames(io)]));
  return 0;`,
    tests: exitCodes,
  },

  // Conditions.
  {
    name: 'a condition on all of no entities is met',
    file: 'core/goal/functions.ts',
    find: 'return entities.length > 0 && entities.every(',
    replace: 'return entities.every(',
    tests: ['core/goal/goal.test.ts'],
  },
  {
    name: 'and binds no closer than or',
    file: 'core/goal/parse.ts',
    find: "  '&&': 2,",
    replace: "  '&&': 1,",
    tests: ['core/goal/goal.test.ts'],
  },
  {
    name: 'an entity that is removed is waited for until the timeout',
    file: 'operate/wait/wait-for-goal.ts',
    find: 'if (!entity && seen) {',
    replace: 'if (!entity && seen && goal.isMet(seen)) {',
    tests: ['operate/wait/wait-for-goal.test.ts'],
  },

  // Spaces.
  {
    name: 'an endpoint is told of addresses in every space',
    file: 'core/network/network-info.ts',
    find: `(one) => one.space === space ||`,
    replace: `(one) => one.space !== '' ||`,
    tests: ['core/network/network-info.test.ts'],
  },
  {
    name: 'config-changed announces no address of a new binding',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `  if (commit.announceAddresses) announceAddresses(tx, unit);`,
    replace: ``,
    tests: ['controller/facades/application/bindings.test.ts'],
  },
  {
    name: 'firewalls do not follow a subnet to another space',
    file: 'controller/workers/firewaller.ts',
    find: `        if (before?.space === after?.space) return;`,
    replace: `        if (before?.space !== after?.space) return;`,
    tests: firewaller,
  },

  // Refreshes.
  {
    name: 'a unit takes a charm before its machine has the LXD profile',
    file: 'core/unit/next-operation.ts',
    find: `  if (remote.profileAway) return false;`,
    replace: ``,
    tests: ['core/unit/next-operation.test.ts', 'agent/machine/machine-agent.test.ts'],
  },
  {
    name: 'an endpoint loses its space while units still run its charm',
    file: 'core/application/check-refresh.ts',
    find: `known, [from.meta, ...older]);`,
    replace: `known, []);`,
    tests: ['controller/facades/rollouts/rolled-parts.test.ts'],
  },
  {
    name: 'a rollback forgets the space of an endpoint that units still have',
    file: 'controller/transactions/change/rollout.ts',
    find: `const bound = { charm: to.meta, leaves: charmMetas(tx, urls) };`,
    replace: `const bound = { charm: to.meta, leaves: charmMetas(tx, urls.slice(0, 0)) };`,
    tests: ['controller/facades/rollouts/rolled-parts.test.ts'],
  },
  {
    name: 'a stopped roll-out says for ever that its unit is in error',
    file: 'core/rollout/words.ts',
    find: `const how = unit?.error`,
    replace: `const how = problem`,
    tests: ['core/explain/explain-rollout.test.ts'],
  },

  // Removals by force. Agents end the subordinates in time, so the simulation seldom shows this.
  {
    name: 'the cleaner forgets subordinates when it clears',
    file: 'controller/transactions/end/clear.ts',
    find: `for (const subordinate of tx.find('unit', 'principal', name)) removeUnit(tx, subordinate);`,
    replace: ``,
    tests: ['controller/workers/force-clearer.test.ts'],
  },

  // Secrets. Few scripts of the simulation end a relation of a grant and keep the secret.
  {
    name: 'grants outlast their relation',
    file: 'controller/transactions/end/remove-application.ts',
    find: `  removeGrants(tx, tx.find('secret-grant', 'relation', id));`,
    replace: ``,
    tests: ['controller/facades/machine-agent/secrets.test.ts'],
  },
  {
    name: 'a grant of a dead relation still gives the right to read',
    file: 'controller/transactions/agent/secret-access.ts',
    find: `relation !== undefined && relation.life !== 'dead'`,
    replace: `relation !== undefined`,
    tests: ['controller/workers/cleaner.test.ts'],
  },
  {
    name: 'what is left of a secret passes to the next one with its id',
    file: 'controller/transactions/shared/secrets.ts',
    find: `tx.get('secret', id) ?? countLeft(tx, id) > 0`,
    replace: `tx.get('secret', id)`,
    tests: ['controller/workers/secret-remover.test.ts'],
  },
  {
    name: 'a charm is told of a revision again and again',
    file: 'controller/transactions/agent/secret-told.ts',
    find: `{ ...consumer, told: revision }`,
    replace: `consumer`,
    tests: ['controller/transactions/agent/secret-told.test.ts'],
  },
  // Storage.
  {
    name: 'storage is forgotten while the cloud may still make its volume',
    file: 'controller/workers/storage-worker.ts',
    find: `  destroy: ['create', 'adopt', 'attach'],`,
    replace: ``,
    tests: ['controller/workers/storage-worker.test.ts'],
  },
  {
    name: 'a look for a removed model counts that the cloud has refused',
    file: 'controller/workers/late-calls.ts',
    find: `        await this.#look(model, signal);
        done++;`,
    replace: `        done++;
        await this.#look(model, signal);`,
    tests: ['controller/workers/late-calls.test.ts'],
  },
  {
    name: 'what the cloud makes for a model that is there again is ended',
    file: 'controller/workers/late-calls.ts',
    find: `if (store.read().get('model', uuid)) return;`,
    replace: ``,
    tests: ['controller/workers/late-calls.test.ts'],
  },
  ...mutantsOfAccess,
  ...mutantsOfAgents,
  ...mutantsOfModelFiles,
  ...mutantsOfBackups,
  ...mutantsOfForecasts,
  ...mutantsOfSuccessors,
  ...mutantsOfUpgrades,
];
