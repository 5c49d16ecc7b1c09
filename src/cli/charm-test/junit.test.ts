import { expect, test } from 'vitest';
import { escaped, toJunit } from './junit.ts';
import type { Failure, ScenarioReport } from './report.ts';

const passed: ScenarioReport = {
  name: 'scale',
  title: 'Units come & go',
  file: '/charm/tests/scale.txt',
  passed: true,
  seconds: 4.25,
  steps: [{ line: 2, text: '$ deploy $CHARM', outcome: 'passed', seconds: 0.5 }],
  units: [],
};
const failure: Failure = {
  line: 3,
  step: 'wait until unit web/0 is active',
  expected: 'unit web/0 is active',
  found: 'unit web/0 is in error (hook failed: "install")\nmore',
  hooks: [{ unit: 'web/0', hook: 'install', output: ['ValueError: <3>'] }],
  relations: {},
  timeline: [],
};

test('a run is a suite of the charm with a case for each scenario', () => {
  const report = {
    charm: 'web',
    passed: false,
    seconds: 6,
    scenarios: [passed, { ...passed, name: 'bad', title: 'It fails', passed: false, failure }],
  };
  expect(toJunit(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" skipped="0" time="6.000"><testsuite name="web" tests="2" failures="1" errors="0" skipped="0" time="6.000"><testcase classname="web.scale" name="Units come &amp; go" file="/charm/tests/scale.txt" time="4.250"><system-out>passed  0.5 s  2: $ deploy $CHARM</system-out></testcase>
<testcase classname="web.bad" name="It fails" file="/charm/tests/scale.txt" time="4.250"><failure message="line 3: wait until unit web/0 is active: unit web/0 is in error (hook failed: &quot;install&quot;)" type="step">expected  unit web/0 is active
found     unit web/0 is in error (hook failed: "install")
          more

Output of web/0's hook install, which failed
  | ValueError: &lt;3&gt;</failure>
<system-out>passed  0.5 s  2: $ deploy $CHARM</system-out></testcase></testsuite></testsuites>
`);
});

test.each([
  ['a < b & "c" > d', 'a &lt; b &amp; "c" &gt; d', 'a &lt; b &amp; &quot;c&quot; &gt; d'],
  ['one\ntwo\tthree\r', 'one\ntwo\tthree&#13;', 'one&#10;two&#9;three&#13;'],
  [']]>', ']]&gt;', ']]&gt;'],
  ['\u001B[31mred\u0000\uFFFF', '\uFFFD[31mred\uFFFD\uFFFD', '\uFFFD[31mred\uFFFD\uFFFD'],
  ['half \uD83D of a pair 😀', 'half \uFFFD of a pair 😀', 'half \uFFFD of a pair 😀'],
])('the text %j is escaped as XML text and as an XML attribute', (text, asText, asAttribute) => {
  expect(escaped(text)).toBe(asText);
  expect(escaped(text, 'attribute')).toBe(asAttribute);
});
