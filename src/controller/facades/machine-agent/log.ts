import { permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import { machineTag, parseTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { lastOf } from '../shared/last-of.ts';
import { ownMachine, ownUnit } from './own-unit.ts';

/**
 * Stores lines of the machine's agent and of the units that it has or had, by tag, for debug-log.
 * Errors: `quota limit exceeded`; `unauthorized access` for lines of anybody else, in which case none is stored.
 */
export function log(call: Call, params: MachineAgentMethods['Log']['params']): Record<string, never> {
  const view = call.read();
  const machine = ownMachine(call);
  checkLimit(limits.logRecords, params.records.length);
  // The agent of a removed machine is refused: its model's log may be gone too.
  if (!view.get('machine', machine)) throw permissionDenied();
  const ownTags = new Set([machineTag(machine)]);
  const lines = params.records.map(({ entity, time, level, module, message }) => {
    checkLimit(limits.logMessage, message.length);
    checkLimit(limits.logWords, entity.length + time.length + level.length + module.length);
    if (!ownTags.has(entity)) {
      const { kind, id } = parseTag(entity);
      if (kind !== 'unit') throw permissionDenied();
      // The last lines of a unit may come after its record was removed.
      if (view.get('unit', id)) ownUnit(call, view, id);
      else if (lastOf(call, call.modelUuid, 'unit', id)?.machine !== machine) throw permissionDenied();
      ownTags.add(entity);
    }
    return { ts: time, tag: entity, sev: level, mod: module, loc: '', msg: message };
  });
  call.services.logs.append(call.modelUuid, lines);
  return {};
}
