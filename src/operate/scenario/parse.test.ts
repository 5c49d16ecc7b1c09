import { describe, expect, test } from 'vitest';
import { parseScenario } from './parse.ts';
import { limits } from '../../core/limits.ts';
import { isForSimulationOnly, type Action } from './scenario.ts';

const end = 'wait until nothing is left';

test('a scenario is parsed to a title and its steps, each with its line number', () => {
  const text = `# Nothing happens\n\n# Really not.\n$ status\n> Model\n> shop\n\n  ${end}\n`;
  expect(parseScenario('calm', text)).toEqual({
    name: 'calm',
    title: 'Nothing happens',
    steps: [
      {
        line: 4,
        text: '$ status',
        kind: 'command',
        command: { argv: ['status'], output: ['Model', 'shop'] },
        fails: false,
      },
      { line: 8, text: end, kind: 'wait', conditions: [{ kind: 'nothing-left' }] },
    ],
  });
});

function read(line: string): Action {
  const { line: _, text: __, ...action } = parseScenario('s', `# t\n${line}\n${end}`).steps[0]!;
  return action;
}

describe('parsing a line', () => {
  const is = { kind: 'is', message: '' } as const;
  test.each<[string, Action]>([
    [
      '$ deploy ./web --constraints "mem=2G cores=2"',
      {
        kind: 'command',
        command: { argv: ['deploy', './web', '--constraints', 'mem=2G cores=2'], output: [] },
        fails: false,
      },
    ],
    [
      '! $ remove-machine 0',
      { kind: 'command', command: { argv: ['remove-machine', '0'], output: [] }, fails: true },
    ],
    [
      'charm web: stores data, may store logs, has resource page',
      {
        kind: 'charm',
        charm: {
          name: 'web',
          subordinate: false,
          endpoints: [],
          storage: [
            { name: 'data', optional: false },
            { name: 'logs', optional: true },
          ],
          resources: ['page'],
          hooks: {},
        },
      },
    ],
    ['file page.txt: of a: b', { kind: 'file', name: 'page.txt', content: 'of a: b' }],
    [
      'charm log: subordinate, needs host as juju-info in container, peers ring as r, install waits, stop fails, start takes 20s',
      {
        kind: 'charm',
        charm: {
          name: 'log',
          subordinate: true,
          endpoints: [
            { role: 'requires', name: 'host', interface: 'juju-info', container: true, required: true },
            { role: 'peers', name: 'ring', interface: 'r', container: false, required: false },
          ],
          storage: [],
          resources: [],
          hooks: {
            install: { kind: 'led', first: 'wait' },
            stop: { kind: 'led', first: 'fail' },
            start: { kind: 'takes', seconds: 20 },
          },
        },
      },
    ],
    [
      'wait until units web/0 web/1 are active and idle',
      {
        kind: 'wait',
        conditions: [
          { ...is, noun: 'unit', name: 'web/0', state: 'active' },
          { ...is, noun: 'unit', name: 'web/1', state: 'active' },
          { ...is, noun: 'unit', name: 'web/0', state: 'idle' },
          { ...is, noun: 'unit', name: 'web/1', state: 'idle' },
        ],
      },
    ],
    [
      `wait until unit web/0 is in error with 'hook failed: "stop"' and dying and instance 0 is there`,
      {
        kind: 'wait',
        conditions: [
          { kind: 'is', noun: 'unit', name: 'web/0', state: 'error', message: 'hook failed: "stop"' },
          { ...is, noun: 'unit', name: 'web/0', state: 'dying' },
          { ...is, noun: 'instance', name: '0', state: 'there' },
        ],
      },
    ],
    [
      'expect unit web/0 is running db-relation-broken',
      {
        kind: 'expect',
        conditions: [
          {
            kind: 'is',
            noun: 'unit',
            name: 'web/0',
            state: 'executing',
            message: 'running db-relation-broken hook',
          },
        ],
      },
    ],
    [
      'expect relation web:db kv:db is dying and application web has 2 units and model is available',
      {
        kind: 'expect',
        conditions: [
          { ...is, noun: 'relation', name: 'web:db kv:db', state: 'dying' },
          { kind: 'units', application: 'web', count: 2 },
          { ...is, noun: 'model', name: '', state: 'available' },
        ],
      },
    ],
    [
      'wait until $ explain web/0\n> its agent\n> resolved',
      {
        kind: 'wait',
        conditions: [
          { kind: 'prints', command: { argv: ['explain', 'web/0'], output: ['its agent', 'resolved'] } },
        ],
      },
    ],
    [
      'wait until the last hooks of web/0 are stop remove',
      { kind: 'wait', conditions: [{ kind: 'last-hooks', unit: 'web/0', hooks: ['stop', 'remove'] }] },
    ],
    [
      'wait until application web is settled',
      { kind: 'wait', conditions: [{ kind: 'settled', application: 'web' }] },
    ],
    ['let stop of web/0 succeed', { kind: 'let', unit: 'web/0', hook: 'stop', outcome: 'succeed' }],
    ['let web/0 wait', { kind: 'let', unit: 'web/0', hook: 'every', outcome: 'wait' }],
    ['let web/0 fail', { kind: 'let', unit: 'web/0', hook: 'every', outcome: 'fail' }],
    ['kill the agent of machine 3', { kind: 'kill-agent', machine: '3', forGood: false }],
    ['kill the agent of machine 3 for good', { kind: 'kill-agent', machine: '3', forGood: true }],
    ['kill the controller', { kind: 'kill-controller' }],
    ['the cloud starts no machines', { kind: 'cloud', event: { kind: 'starts', possible: false } }],
    ['the cloud starts machines again', { kind: 'cloud', event: { kind: 'starts', possible: true } }],
    ['the cloud has room for 2 machines', { kind: 'cloud', event: { kind: 'room', machines: 2 } }],
    ['the cloud has room for all machines', { kind: 'cloud', event: { kind: 'room', machines: 0 } }],
    [
      'the cloud has no machine with more than 2048M of memory',
      { kind: 'cloud', event: { kind: 'largest', mem: 2048 } },
    ],
    ['the cloud refuses the credential', { kind: 'cloud', event: { kind: 'credential', accepted: false } }],
    [
      'the cloud accepts the credential again',
      { kind: 'cloud', event: { kind: 'credential', accepted: true } },
    ],
    ['zone z1 fails', { kind: 'cloud', event: { kind: 'zone', zone: 'z1', works: false } }],
    ['zone z1 works again', { kind: 'cloud', event: { kind: 'zone', zone: 'z1', works: true } }],
    ['the cloud loses the instance of machine 0', { kind: 'cloud', event: { kind: 'loses', machine: '0' } }],
  ])('%s', (line, action) => {
    expect(read(line)).toEqual(action);
  });
});

test('a scenario with events that this host cannot cause is for the simulation only', () => {
  const needs = (line: string): boolean => isForSimulationOnly(parseScenario('s', `# t\n${line}\n${end}`));
  expect(needs('the cloud has room for 2 machines')).toBe(true);
  expect(needs('zone z1 works again')).toBe(false);
  expect(needs('the cloud starts no machines')).toBe(false);
  expect(needs('the cloud loses the instance of machine 0')).toBe(false);
});

describe('lines that cannot be parsed', () => {
  test.each([
    ['$ status\n> {a}{b}', 's:3: "{a}{b}" has two placeholders'],
    [
      'make coffee',
      's:2: "make coffee" is nothing that a scenario can say: a command begins with "$ ", other lines with !, charm, ',
    ],
    ['constructor', 's:2: "constructor" is nothing that a scenario can say'],
    ['toString', 's:2: "toString" is nothing that a scenario can say'],
    ['!remove-machine 0', 's:2: "!remove-machine 0" is nothing that a scenario can say'],
    ['$ ', 's:2: a command is missing'],
    ["$ deploy './web", "s:2: a ' is not closed"],
    ['> text', 's:2: there is no command whose output this could be'],
    ['wait until unit web/0 is gone\n> text', 's:3: there is no command whose output this could be'],
    ['file ../page.txt: x', 's:2: "file ../page.txt: x" is nothing that a scenario can say'],
    ['charm Web', 's:2: a charm is written as: charm <name>: <clause>, <clause>…'],
    ['charm web: stop hangs', 's:2: "stop hangs" is nothing that can be said of a charm'],
    ['let web/0 rest', 's:2: "let web/0 rest" is nothing that a scenario can say'],
    ['kill everyone', 's:2: "kill everyone" is nothing that a scenario can say'],
    ['expect', 's:2: '],
    ['expect gone', 's:2: "gone" does not begin with unit, '],
    ['expect unit web/0', 's:2: "unit web/0" lacks is or are'],
    ['expect unit is gone', 's:2: "unit is gone" does not say which unit'],
    ['expect machine 0 is happy', 's:2: of a machine one can say that it is alive, dying, '],
    ['expect machine 0 is down at last', `s:2: what follows "down" is: with '<text of its status>'`],
    [
      'expect application web has many units',
      's:2: units are counted as: application <name> has <number> units',
    ],
  ])('%j', (line, message) => {
    expect(() => parseScenario('s', `# t\n${line}\n${end}`)).toThrow(message);
  });

  test('a scenario needs a title and a step', () => {
    expect(() => parseScenario('s', end)).toThrow('s:1: the first line says, after a #, what this is about');
    expect(() => parseScenario('s', '# t\n')).toThrow('s:2: a scenario has at least one step');
  });
});

describe('a scenario that is too large', () => {
  test('is refused for its number of bytes', () => {
    const text = `# t\n$ status\n# ${'x'.repeat(limits.scenarioBytes.max)}`;
    expect(() => parseScenario('s', text)).toThrow(/^scenario s: \d+ bytes exceed the limit of/);
  });

  test('is refused for its number of steps', () => {
    const { max } = limits.scenarioSteps;
    expect(parseScenario('s', `# t\n${'$ status\n'.repeat(max)}`).steps).toHaveLength(max);
    expect(() => parseScenario('s', `# t\n${'$ status\n'.repeat(max + 1)}`)).toThrow(
      `steps of scenario s: ${max + 1} entries exceed the limit of ${max}`,
    );
  });
});
