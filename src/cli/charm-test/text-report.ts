/** Report of a test run for people. */
import { toYaml } from '../format/yaml.ts';
import { formatSection } from '../format/tabwriter.ts';
import type { Failure, HookReport, ScenarioReport, TestReport } from './report.ts';

/** Formats the result of a scenario: one line, the units, and what failed. */
export function scenarioText(scenario: ScenarioReport): string {
  const { title, passed, seconds, failure, file, units } = scenario;
  const lines = [`${passed ? 'passed' : 'FAILED'}  ${title} (${seconds.toFixed(1)} s)`];
  if (failure) {
    lines.push(`  ${file ?? 'default scenario'}:${failure.line}: ${failure.step}`);
    lines.push(indented(failureText(failure), '  '));
  }
  if (units.length > 0) {
    const rows = units.map(({ unit, workload, agent, message }) => [unit, workload, agent, message]);
    lines.push(
      indented(formatSection({ rows: [['Unit', 'Workload', 'Agent', 'Message'], ...rows] }).trimEnd(), '  '),
    );
  }
  return `${lines.join('\n')}\n`;
}

export function summaryText({ charm, scenarios, seconds, passed }: TestReport): string {
  const good = scenarios.filter((one) => one.passed).length;
  const count = `${good} of ${scenarios.length} ${scenarios.length === 1 ? 'scenario' : 'scenarios'} passed`;
  return `${charm}: ${passed ? count : `FAILED, ${count}`} (${seconds.toFixed(1)} s)\n`;
}

/** Returns the expected state, the actual one, and the evidence. */
export function failureText({ expected, found, hooks, relations, timeline }: Failure): string {
  const sections = [`expected  ${hanging(expected)}\nfound     ${hanging(found.trimEnd())}`];
  for (const hook of hooks) sections.push(hookText(hook));
  for (const [unit, data] of Object.entries(relations))
    sections.push(`Relations of ${unit}\n${indented(toYaml(data).trimEnd(), '  ')}`);
  if (timeline.length > 0) {
    const rows = timeline.map(({ time, by, change }) => [time.slice(11, 23), by, change]);
    sections.push(`Timeline (UTC)\n${indented(formatSection({ rows }).trimEnd(), '  ')}`);
  }
  return sections.join('\n\n');
}

function hookText({ unit, hook, output }: HookReport): string {
  const title =
    hook === undefined ? `Last output of ${unit}` : `Output of ${unit}'s hook ${hook}, which failed`;
  return `${title}\n${indented(output.join('\n'), '  | ')}`;
}

function hanging(text: string): string {
  return text.replaceAll('\n', '\n          ');
}

function indented(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => `${by}${line}`.trimEnd())
    .join('\n');
}
