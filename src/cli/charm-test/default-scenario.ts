/** Scenario for a charm without one: the charm is deployed and settles. */
import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import { parseScenario } from '../../operate/scenario/parse.ts';
import type { Scenario } from '../../operate/scenario/scenario.ts';

/**
 * Returns the scenario: a subordinate is deployed beside a principal that is made for it. The units end active, or
 * blocked while something that the charm states is missing.
 */
export function defaultScenario(charm: ParsedCharm): Scenario {
  const { name, subordinate, endpoints } = charm.meta;
  const host = Object.values(endpoints).find(
    ({ role, scope }) => role === 'requirer' && scope === 'container',
  );
  const hostEndpoint = host?.interface === 'juju-info' ? 'juju-info' : 'host';
  const beside =
    subordinate && host
      ? [
          // The endpoint juju-info exists in every charm.
          `charm ${principal}${hostEndpoint === 'host' ? `: provides host as ${host.interface}` : ''}`,
          `$ deploy ./${principal}`,
          `$ integrate ${name}:${host.name} ${principal}:${hostEndpoint}`,
        ]
      : [];
  const lines = [
    `# ${name} is deployed and settles`,
    '$ deploy $CHARM',
    ...beside,
    `wait until application ${name} is settled`,
  ];
  const scenario = parseScenario('default', lines.join('\n'));
  const missing = stated(charm, subordinate ? host?.name : undefined);
  return {
    ...scenario,
    steps: scenario.steps.map((step) =>
      step.kind === 'wait'
        ? {
            ...step,
            conditions: step.conditions.map((one) => (one.kind === 'settled' ? { ...one, missing } : one)),
          }
        : step,
    ),
  };
}
const principal = 'principal';

/**
 * Returns what the charm states that it needs, and that a bare deploy does not give it: relations, values of options,
 * resources.
 */
function stated({ meta, config }: ParsedCharm, related: string | undefined): string[] {
  return [
    ...Object.values(meta.endpoints)
      .filter(({ role, name }) => role === 'requirer' && name !== related)
      .map(({ name }) => `relation ${name}`),
    ...Object.entries(config)
      .filter(([, { default: value }]) => value === undefined || value === '')
      .map(([option]) => `option ${option}`),
    ...Object.keys(meta.resources).map((resource) => `resource ${resource}`),
  ];
}
