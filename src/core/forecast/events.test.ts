import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { eventForms, parseEvents } from './events.ts';

const hourMs = 3_600_000;
const one = (text: string): unknown => parseEvents([text], hourMs)[0];

describe('an event', () => {
  test.each([
    ['machine 3 is lost', { kind: 'machine', machine: '3', how: 'lost' }],
    ['machine 0/lxd/1 stops', { kind: 'machine', machine: '0/lxd/1', how: 'stops' }],
    ['machine 3 reboots', { kind: 'machine', machine: '3', how: 'reboots' }],
    ['agent of machine 3 is killed', { kind: 'machine', machine: '3', how: 'agent-killed' }],
    ['machine 3 is cut off for 90s', { kind: 'cut-off', machine: '3', forMs: 90_000 }],
    ['controller is killed', { kind: 'controller-killed' }],
    ['zone b fails', { kind: 'zone', zone: 'b', fails: true }],
    ['zone b recovers', { kind: 'zone', zone: 'b', fails: false }],
    ['cloud says quota', { kind: 'cloud', how: 'quota' }],
    ['cloud is silent', { kind: 'cloud', how: 'silent' }],
    ['cloud refuses the credential', { kind: 'cloud', how: 'credential' }],
    ['cloud recovers', { kind: 'cloud', how: 'recovers' }],
    ['unit web/0 fails install', { kind: 'hook', units: { unit: 'web/0' }, hook: 'install' }],
    ['unit web/0 recovers', { kind: 'hook', units: { unit: 'web/0' }, hook: '' }],
    ['application web fails stop', { kind: 'hook', units: { application: 'web' }, hook: 'stop' }],
    ['application web recovers', { kind: 'hook', units: { application: 'web' }, hook: '' }],
    ['add-unit web', { kind: 'command', command: { do: 'add-unit', application: 'web', units: 1 } }],
    ['add-unit web 5', { kind: 'command', command: { do: 'add-unit', application: 'web', units: 5 } }],
    ['remove-unit web/0', { kind: 'command', command: { do: 'remove-unit', unit: 'web/0', force: false } }],
    [
      'remove-application web --force',
      { kind: 'command', command: { do: 'remove-application', application: 'web', force: true } },
    ],
    [
      'remove-machine 3 --force',
      { kind: 'command', command: { do: 'remove-machine', machine: '3', force: true } },
    ],
    ['resolved web/0', { kind: 'command', command: { do: 'resolved', unit: 'web/0' } }],
    ['reprovision-machine 3', { kind: 'command', command: { do: 'reprovision-machine', machine: '3' } }],
    ['apply ./my shop.yaml', { kind: 'apply', file: './my shop.yaml' }],
    ['retry-provisioning 3', { kind: 'command', command: { do: 'retry-provisioning', machine: '3' } }],
  ])('%s', (text, what) => {
    expect(one(text)).toEqual({ atMs: 0, text, what });
    expect(one(`1m30s: ${text}`)).toEqual({ atMs: 90_000, text, what });
  });

  test('is one of forms, each of which is tried above', () => {
    expect(eventForms).toHaveLength(24);
  });

  test.each([
    ['zone burns', 'event "zone burns": expected [TIME: ] and one of "machine N is lost", '],
    [
      '5m machine 3 is lost',
      'event "5m machine 3 is lost": a colon follows the time: "5m: machine 3 is lost"',
    ],
    ['machine x is lost', 'event "machine x is lost": machine "x" not valid'],
    ['unit web fails install', 'unit "web" not valid'],
    ['add-unit web/0', 'application "web/0" not valid'],
    ['add-unit web 0', 'number of units "0" not valid: expected 1 to 1000'],
    ['add-unit web many', 'number of units "many" not valid: expected 1 to 1000'],
    ['soon: zone b fails', 'event "soon: zone b fails": invalid duration "soon"'],
    ['-1m: zone b fails', 'duration "-1m" not valid'],
    ['2h: zone b fails', 'event "2h: zone b fails": it is after the end of the forecast, which is 1h long'],
    ['', 'event "": expected'],
  ])('"%s" is refused', (text, message) => {
    expect(() => one(text)).toThrow(
      expect.objectContaining({ code: 'not valid', message: expect.stringContaining(message) as string }),
    );
  });
});

test('events are in the order of their times, and as they were given at one time', () => {
  const texts = parseEvents(
    ['10m: zone b fails', 'machine 3 is lost', '10m: zone c fails', '5m:  cloud   says quota'],
    hourMs,
  ).map(({ text }) => text);
  expect(texts).toEqual(['machine 3 is lost', 'cloud says quota', 'zone b fails', 'zone c fails']);
});

test('events are limited in number, in length, and in what they add', () => {
  const text = 'zone b fails';
  const events = Array.from({ length: limits.forecastEvents.max }, () => text);
  expect(parseEvents(events, hourMs)).toHaveLength(limits.forecastEvents.max);
  const refused = { code: 'quota limit exceeded' };
  expect(() => parseEvents([...events, text], hourMs)).toThrow(expect.objectContaining(refused));
  expect(() => one(text.padEnd(limits.forecastEvent.max))).not.toThrow();
  expect(() => one(text.padEnd(limits.forecastEvent.max + 1))).toThrow(expect.objectContaining(refused));
  const { max } = limits.forecastUnits;
  expect(() => one(`add-unit web ${max}`)).not.toThrow();
  for (const count of [max + 1, 100_000, 1e21])
    expect(() => one(`add-unit web ${BigInt(count)}`)).toThrow(
      expect.objectContaining({
        ...refused,
        message: expect.stringMatching(
          /^event "add-unit web \d+": units that an event of a forecast adds: .* exceed the limit of 1000$/,
        ) as string,
      }),
    );
});
