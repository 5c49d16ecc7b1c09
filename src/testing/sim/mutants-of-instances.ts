/** Bugs in starts and stops of machines, zones and harvest modes. */
import {
  failingStops,
  lookedAtWhileStarted,
  keptThenHarvested,
  lostAnswers,
  noRoom,
  spread,
  removedUnanswered,
  startsAgain,
  stray,
  tooLarge,
} from './mutant-scripts.ts';
import type { Mutant } from './mutant.ts';

export const mutantsOfInstances: readonly Mutant[] = [
  {
    name: 'an instance is requested before its nonce is stored',
    file: 'controller/transactions/instance/prepare-start.ts',
    find: `    ...fields,
    nonce,`,
    replace: `    ...fields,`,
  },
  {
    name: 'a start that fails for good does not say why',
    file: 'controller/transactions/instance/fail-start.ts',
    find: `setStatus(tx, 'instance', id, 'provisioning error', message);`,
    replace: `setStatus(tx, 'instance', id, 'provisioning error', '');`,
    steps: tooLarge,
  },
  {
    name: 'zones are not filled evenly',
    file: 'core/machine/choose-zone.ts',
    find: `if (!best || zone.group < best.group || (zone.group === best.group && zone.all < best.all)) best = zone;`,
    replace: `if (!best) best = zone;`,
    steps: spread,
  },
  {
    name: 'kept instances are harvested',
    file: 'core/machine/plan-harvest.ts',
    find: `if (records.recorded.has(id) || records.kept.has(id)) continue;`,
    replace: `if (records.recorded.has(id)) continue;`,
    steps: keptThenHarvested,
  },
  {
    name: 'strays are stopped in every harvest mode',
    file: 'core/machine/plan-harvest.ts',
    find: `if ((mode === 'unknown' || mode === 'all') && !isController) plan.stops.push(instance);`,
    replace: `if (!isController) plan.stops.push(instance);`,
    steps: stray,
  },
  {
    name: 'suspended starts never go on',
    file: 'provisioning/suspension.ts',
    find: `        this.#isDue = true;
        wake();`,
    replace: ``,
    steps: noRoom,
  },

  {
    name: 'each attempt to start has its own nonce',
    file: 'controller/transactions/instance/prepare-start.ts',
    find: 'const nonce = found.nonce ?? newNonce(tx);',
    replace: 'const nonce = newNonce(tx);',
  },
  {
    name: 'an instance is not stopped',
    file: 'core/machine/plan-provisioning.ts',
    find: `return !stays && (machine.life === 'dead' || isAbandoned(machine));`,
    replace: `return !stays && isAbandoned(machine);`,
  },
  {
    name: 'the record of a machine goes before its instance',
    file: 'core/machine/plan-provisioning.ts',
    find: `if (hasUnwanted) return undefined;`,
    replace: ``,
    steps: failingStops,
  },
  {
    name: 'an instance whose start lost its answer is forgotten',
    file: 'provisioning/provisioner.ts',
    find: `if (unrecorded.size === 0) return existing;`,
    replace: `if (unrecorded.size >= 0) return existing;`,
    steps: lostAnswers,
  },
  {
    name: 'a kept instance is stopped',
    file: 'core/machine/plan-provisioning.ts',
    find: `if (machine.keepInstance || machine.unmanaged) return true;`,
    replace: `if (machine.unmanaged) return true;`,
    steps: keptThenHarvested,
  },
  {
    name: 'machines whose pass failed are forgotten',
    file: 'kit/dirty-ids.ts',
    find: `      else this.add(ids);`,
    replace: ``,
    steps: removedUnanswered,
  },
  {
    name: 'a failed start is not tried again',
    file: 'kit/retry-times.ts',
    find: `        onDue(key);`,
    replace: ``,
    steps: startsAgain,
  },

  {
    name: 'a start that ends during a pass is forgotten',
    file: 'provisioning/provisioner.ts',
    find: `busy: new Set([...busy, ...starter.busy]),`,
    replace: `busy: starter.busy,`,
    steps: lookedAtWhileStarted,
  },
];
