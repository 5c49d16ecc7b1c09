/** Explanations of closed gates: what keeps the other application from the health that is waited for. */
import type { ApplicationDoc } from '../application/document.ts';
import { gateWords, type ClosedGate } from '../gates/gate.ts';
import { healthOfUnit, whyUnhealthy } from '../rollout/health.ts';
import { conditionOf } from '../rollout/rollout.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Actor, Explanation, ExplainView, HelpfulCommand } from './explanation.ts';
import { lookMax, type Walk } from './walk.ts';

type Details = Pick<Explanation, 'text' | 'waitsFor'> & { readonly actor?: Actor };

export function explainGate(
  waiting: ApplicationDoc,
  gate: ClosedGate,
  since: string,
  walk: Walk,
): Explanation {
  const { application } = gate;
  return {
    kind: 'gate',
    id: `${waiting.name} ${application}`,
    name: `gate on ${application}`,
    more: 0,
    above: false,
    ...detailsOf(waiting, gate, since, walk),
  };
}

function detailsOf(
  { name: waiting }: ApplicationDoc,
  gate: ClosedGate,
  since: string,
  { view, explainCause }: Walk,
): Details {
  const { application: name, health } = gate;
  const application = view.get('application', name);
  const operator = (task: string, commands: readonly HelpfulCommand[]): Actor => ({
    kind: 'operator',
    name: `application ${waiting}`,
    task,
    since,
    commands: [...commands, setAfter(waiting)],
  });
  const deploy = { line: `deploy <charm> ${name}`, effect: 'deploys one' };
  if (!application)
    return {
      text: 'no application has that name',
      actor: operator(`deploy an application ${name}, or wait for it no longer`, [deploy]),
      waitsFor: [],
    };
  const below = (): Explanation[] => [explainCause({ kind: 'application', id: name })];
  if (application.life !== 'alive')
    return {
      text: 'that application is being removed',
      actor: operator(`deploy another application ${name} when it is gone, or wait for it no longer`, [
        deploy,
      ]),
      waitsFor: below(),
    };
  const found = firstUnhealthy(name, health, view);
  if (found === 'none') return { text: 'it has no units', waitsFor: below() };
  if (!found) return { text: 'its units are healthy: it is about to open', waitsFor: [] };
  const text = `unit ${found.unit.name} ${found.why}`;
  const unit = explainCause({ kind: 'unit', id: found.unit.name });
  const isSilent = !unit.above && !unit.actor && unit.waitsFor.length === 0;
  return {
    text,
    waitsFor: isSilent ? [] : [unit],
    ...(isSilent && {
      actor: {
        kind: 'charm',
        name: `unit ${found.unit.name}`,
        task: `gets ${gateWords(gate)}`,
        commands: [],
      },
    }),
  };
}

/** The command that takes all gates from the application. */
export function setAfter(application: string): HelpfulCommand {
  return {
    line: `set-after ${application} --none`,
    effect: `lets ${application} wait for no other application`,
  };
}

/** The first unit that is not healthy, with why; undefined = none of those that were looked at. */
function firstUnhealthy(
  application: string,
  health: string,
  view: ExplainView,
): { readonly unit: UnitDoc; readonly why: string } | 'none' | undefined {
  const isMet = conditionOf(health);
  let looked = 0;
  let isAny = false;
  for (const unit of view.find('unit', 'application', application)) {
    if (looked++ === lookMax) break;
    if (unit.life !== 'alive') continue;
    isAny = true;
    const why = whyUnhealthy(
      healthOfUnit(unit, view, (machine) => view.present(machine)),
      health,
      isMet,
    );
    if (why !== undefined) return { unit, why };
  }
  return isAny ? undefined : 'none';
}
