import { requireMode } from '../../../core/requirements/requirement.ts';
import type { requirements as spec } from '../../../wire/facades/requirements.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { requirementModel } from '../../transactions/requirements.ts';
import { currentModel } from '../shared/model.ts';

/** Applications between two turns of others: some milliseconds. */
const chunk = 500;

/** By name. */
export async function graph(call: Call): Promise<ResultOf<typeof spec, 'Graph'>> {
  const view = call.read();
  const model = requirementModel(view);
  const names = [...view.list('application')].map(({ name }) => name).sort();
  const applications: ResultOf<typeof spec, 'Graph'>['applications'][number][] = [];
  for (const [n, name] of names.entries()) {
    if (n % chunk === chunk - 1) await new Promise<void>((resolve) => call.services.nextTurn(resolve));
    const application = model.application(name);
    // Removed while others had their turn.
    if (!application) continue;
    const { subordinate, requirements, missing } = application;
    applications.push({
      application: name,
      subordinate,
      requirements: requirements.map(({ endpoint, interface: its, anyPrincipal, impliedBy }) => ({
        endpoint,
        interface: its,
        ...(anyPrincipal ? { 'any-principal': true } : {}),
        ...(impliedBy ? { 'implied-by': [...impliedBy] } : {}),
      })),
      ...(missing ? { missing } : {}),
    });
  }
  return { mode: requireMode(currentModel(call).config), applications };
}
