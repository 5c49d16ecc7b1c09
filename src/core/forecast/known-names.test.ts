import { describe, expect, test } from 'vitest';
import { application, explainView, machine, unit } from '../../testing/explain-view.ts';
import { parseEvents } from './events.ts';
import { checkNames, checkZones } from './known-names.ts';

const charm = { meta: { endpoints: { db: {} }, storage: { data: {} } } };
const view = explainView({
  application: { ...application('web'), ...application('db') },
  charm: { web: charm as never },
  unit: { ...unit('web/0', '0'), ...unit('web/2', '0/lxd/1') },
  machine: { ...machine('0'), ...machine('0/lxd/1', { parent: '0' }) },
  sequence: {
    machine: { name: 'machine', next: 3 },
    'unit web': { name: 'unit web', next: 3 },
    'unit gone': { name: 'unit gone', next: 1 },
    'container 0/lxd': { name: 'container 0/lxd', next: 2 },
  },
});
const eventsOf = (texts: readonly string[]): ReturnType<typeof parseEvents> => parseEvents(texts, 3_600_000);
const check = (texts: readonly string[], of = view): void => checkNames(eventsOf(texts), of);

describe('events are refused that name', () => {
  test.each([
    ['machine 7 stops', 'machine 7 not found; model default has machines 0, 0/lxd/1'],
    ['machine 2 is cut off for 1m', 'machine 2 not found; it was removed: see "history 2"'],
    ['reprovision-machine 8', 'machine 8 not found; model default has machines 0, 0/lxd/1'],
    [
      'agent of machine 0/lxd/0 is killed',
      'machine 0/lxd/0 not found; it was removed: see "history 0/lxd/0"',
    ],
    ['remove-unit wbe/0', 'unit "wbe/0" not found; did you mean "web/0"?'],
    ['resolved web/9', 'unit "web/9" not found; web has units web/0, web/2'],
    ['unit web/1 fails start', 'unit "web/1" not found; it was removed: see "history web/1"'],
    ['unit web/1 recovers', 'unit "web/1" not found; it was removed: see "history web/1"'],
    ['application wbe fails start', 'application "wbe" not found; did you mean "web"?'],
    ['application default recovers', 'application "default" not found'],
    ['add-unit gone 3', 'application "gone" not found'],
    ['remove-application unit', 'application "unit" not found'],
    ['unit web/0 fails instal', 'hook "instal" of web not found; did you mean "install"?'],
    ['application web fails data-storage-detachin', 'did you mean "data-storage-detaching"?'],
    ['application web fails everything-at-once', 'not found; it has config-changed, data-storage-attached, '],
  ])('nothing that the model has: %s', (text, message) => {
    expect(() => check([text])).toThrow(
      expect.objectContaining({
        code: 'not found',
        message: expect.stringMatching(
          new RegExp(`^event "${text}": .*${message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
        ) as string,
      }),
    );
  });

  test('a zone that the cloud does not have', () => {
    const inZones = (texts: readonly string[], zones?: readonly string[]) => () =>
      checkZones(eventsOf(texts), zones);
    expect(inZones(['zone b fails'], ['a', 'c'])).toThrow(
      'event "zone b fails": zone "b" not found; the cloud has zones a, c',
    );
    expect(inZones(['zone b recovers'])).toThrow('zone "b" not found; the cloud has no zones');
    expect(inZones(['zone b fails'], [])).toThrow('zone "b" not found; the cloud has no zones');
    expect(inZones(['zone a fails', 'zone c recovers', 'machine 9 stops'], ['a', 'c'])).not.toThrow();
  });
});

describe('events are accepted that name', () => {
  test.each([
    [['machine 0 is lost', 'machine 0/lxd/1 reboots', 'remove-machine 0 --force', 'retry-provisioning 0']],
    [['remove-unit web/0', 'unit web/2 fails db-relation-joined', 'unit web/0 recovers', 'resolved web/2']],
    [['application web fails data-storage-attached', 'application db fails whatever', 'add-unit db 2']],
    [['unit web/3 fails start', 'add-unit web', '5m: machine 3 is lost', '6m: remove-unit web/3']],
    [['apply shop.yaml', 'add-unit new', 'machine 1 stops', 'unit web/1 fails nothing']],
    [['controller is killed', 'cloud says quota']],
  ])('what the model has, or may have by then: %j', (texts) => {
    expect(() => check(texts)).not.toThrow();
  });

  test('a machine that is made for a unit without one', () => {
    const waiting = {
      ...unit('web/0', '0'),
      'web/1': { ...unit('web/1', '0')['web/1'], machine: undefined },
    };
    const model = explainView({
      unit: waiting as never,
      sequence: { machine: { name: 'machine', next: 1 } },
    });
    expect(() => check(['5m: machine 1 is lost'], model)).not.toThrow();
    expect(() => check(['5m: machine 0 is lost'], model)).toThrow('machine 0 not found');
  });

  test('no unit or machine but those that the events add', () => {
    expect(() => check(['add-unit db', 'remove-unit web/3'])).toThrow('unit "web/3" not found');
    expect(() => check(['add-unit web 2', 'remove-unit web/4', 'machine 4 stops'])).not.toThrow();
    expect(() => check(['add-unit web 2', 'remove-unit web/5'])).toThrow('unit "web/5" not found');
    expect(() => check(['add-unit web 2', 'machine 5 stops'])).toThrow('machine 5 not found');
    expect(() => check(['add-unit web 2', 'machine 0/lxd/2 stops'])).not.toThrow();
    expect(() => check(['add-unit web', 'remove-unit web/1'])).toThrow('unit "web/1" not found');
  });
});
