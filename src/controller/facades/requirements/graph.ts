import { requireMode } from '../../../core/requirements/requirement.ts';
import type { requirements as spec } from '../../../wire/facades/requirements.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { requirementModel } from '../../transactions/shared/requirements.ts';
import { currentModel } from '../shared/model.ts';
import { defined } from '../../../core/defined.ts';

/** Number of applications between two pauses: some milliseconds of work. */
const chunk = 500;

/** Returns the graph of requirements, by name. */
export async function graph(call: Call): Promise<ResultOf<typeof spec, 'Graph'>> {
  const view = call.read();
  const model = requirementModel(view);
  const names = [...view.list('application')].map(({ name }) => name).sort();
  const applications: ResultOf<typeof spec, 'Graph'>['applications'][number][] = [];
  for (const [n, name] of names.entries()) {
    if (n % chunk === chunk - 1) await new Promise<void>((resolve) => call.services.nextTurn(resolve));
    const application = model.application(name);
    // The application was removed during a pause.
    if (!application) continue;
    const { subordinate, requirements, missing } = application;
    applications.push({
      application: name,
      subordinate,
      requirements: requirements.map(
        ({ endpoint, interface: interfaceName, anyPrincipal, shown, impliedBy, gate }) => ({
          endpoint,
          interface: interfaceName,
          ...defined({
            'any-principal': anyPrincipal || undefined,
            shown,
            'implied-by': impliedBy ? [...impliedBy] : undefined,
            gate,
          }),
        }),
      ),
      ...defined({ missing }),
    });
  }
  return { mode: requireMode(currentModel(call).config), applications };
}
