import type { MachineAgentMethods } from '../../../wire/agent.ts';
import type { Call } from '../../facade.ts';
import { ownMachine, ownUnit } from './own-unit.ts';

/** Lines of the machine's agent (`entity` '') and of its units, for debug-log. */
export function log(call: Call, params: MachineAgentMethods['Log']['params']): Record<string, never> {
  const view = call.read();
  const tags = new Map<string, string>([['', `machine-${ownMachine(call).replaceAll('/', '-')}`]]);
  const lines = params.records.map((record) => {
    let tag = tags.get(record.entity);
    if (tag === undefined)
      tags.set(record.entity, (tag = `unit-${ownUnit(call, view, record.entity).name.replace('/', '-')}`));
    return { ts: record.time, tag, sev: record.level, mod: record.module, loc: '', msg: record.message };
  });
  call.services.logs.append(call.modelUuid, lines);
  return {};
}
