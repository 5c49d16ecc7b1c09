import { payloadFilter } from '../../../core/payloads/payloads.ts';
import type { payloads as spec } from '../../../wire/facades/payloads.ts';
import { machineTag, unitTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';

/** The payloads of all units that pass the patterns, by unit, class and id. */
export function listPayloads(
  call: Call,
  { patterns }: ParamsOf<typeof spec, 'List'>,
): ResultOf<typeof spec, 'List'> {
  const view = call.read();
  const passes = payloadFilter(patterns);
  return {
    results: [...view.list('payloads')]
      .flatMap(({ unit, payloads }) => {
        const machine = view.get('unit', unit)?.machine ?? '';
        return Object.entries(payloads).map(([key, payload]) => ({ key, ...payload, unit, machine }));
      })
      .filter(passes)
      .sort((a, b) => (a.unit === b.unit ? (a.key < b.key ? -1 : 1) : a.unit < b.unit ? -1 : 1))
      .map(({ unit, machine, class: name, id, type, status, labels }) => ({
        class: name,
        type,
        id,
        status,
        labels: [...labels],
        unit: unitTag(unit),
        machine: machine === '' ? '' : machineTag(machine),
      })),
  };
}
