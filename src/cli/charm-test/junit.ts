/** JUnit XML of a test run, as CI systems read it: a suite for the charm, a case for each scenario. */
import type { ScenarioReport, TestReport } from './report.ts';
import { failureText } from './text-report.ts';

export function toJunit(report: TestReport): string {
  const { charm, scenarios, seconds } = report;
  const failures = scenarios.filter(({ passed }) => !passed).length;
  const counts = {
    tests: scenarios.length,
    failures,
    errors: 0,
    skipped: 0,
    time: seconds.toFixed(3),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element('testsuites', counts, [
      element(
        'testsuite',
        { name: charm, ...counts },
        scenarios.map((one) => caseOf(charm, one)),
      ),
    ]),
    '',
  ].join('\n');
}

function caseOf(charm: string, scenario: ScenarioReport): string {
  const { name, title, file, seconds, steps, failure } = scenario;
  const attributes = { classname: `${charm}.${name}`, name: title, file, time: seconds.toFixed(3) };
  const played = steps.map(
    ({ line, text, outcome, seconds: took }) => `${outcome.padEnd(7)} ${took.toFixed(1)} s  ${line}: ${text}`,
  );
  return element('testcase', attributes, [
    ...(failure
      ? [
          element(
            'failure',
            {
              message: `line ${failure.line}: ${failure.step}: ${failure.found.split('\n')[0]}`,
              type: 'step',
            },
            [escaped(failureText(failure))],
          ),
        ]
      : []),
    element('system-out', {}, [escaped(played.join('\n'))]),
  ]);
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Formats an element. `children` are XML already. */
function element(name: string, attributes: Attributes, children: readonly string[]): string {
  const shown = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(String(value), 'attribute')}"`],
  );
  return `<${name}${shown.join('')}>${children.join('\n')}</${name}>`;
}

/**
 * Escapes text. Characters that XML 1.0 has no place for, even escaped, become U+FFFD. In attributes, line ends and
 * tabs are escaped too, because a reader would make spaces of them.
 */
export function escaped(text: string, place: 'text' | 'attribute' = 'text'): string {
  const plain = text
    .toWellFormed()
    // eslint-disable-next-line no-control-regex -- these are the characters that XML excludes
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
  if (place === 'text') return plain;
  return plain.replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
