import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import { firstNumbers } from '../../../core/sequence/document.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { currentModel } from '../shared/model.ts';

/** Returns the next numbers, by Juju's names: clients predict from them the names of a bundle's machines and units. */
export function sequences(call: Call): ResultOf<typeof spec, 'Sequences'> {
  const { uuid } = currentModel(call);
  const entries = [...call.read().in(uuid).list('sequence')].flatMap(({ name, next }) => {
    if (name === firstNumbers) return [];
    const [kind, application] = name.split(' ');
    return [[kind === 'unit' ? `application-${application}` : name, next] as const];
  });
  return { sequences: Object.fromEntries(entries) };
}
