import { expect, test } from 'vitest';
import { changeApplication, changeConstraints, usesOfSpace } from './space-uses.ts';

const application = (name: string, rest: object) => ({
  name,
  constraints: {},
  endpointBindings: { '': 'alpha' },
  ...rest,
});
const applications = [
  application('wanted', { constraints: { spaces: ['db', 'web'] } }),
  application('excluded', { constraints: { spaces: ['^db'] } }),
  application('bound', { endpointBindings: { '': 'alpha', data: 'db' } }),
  application('open', { exposed: { '': { cidrs: ['10.0.0.0/8'], spaces: ['db'] } } }),
  application('other', { constraints: { spaces: ['dbx'] }, endpointBindings: { '': 'web' } }),
];

test('constraints, bindings, exposure and the default use a space', () => {
  const model = { config: { 'default-space': 'db' }, constraints: { spaces: ['db'] } };
  expect(usesOfSpace('db', { applications, model })).toEqual({
    constraints: ['excluded', 'wanted'],
    modelConstraint: true,
    bindings: ['bound'],
    exposed: ['open'],
    isDefault: true,
  });
  expect(usesOfSpace('none', { applications, model })).toEqual({
    constraints: [],
    modelConstraint: false,
    bindings: [],
    exposed: [],
    isDefault: false,
  });
});

test('all uses of a space follow its new name', () => {
  const renamed = applications.map((one) => changeApplication(one, { from: 'db', to: 'data' }));
  expect(renamed).toEqual([
    application('wanted', { constraints: { spaces: ['data', 'web'] } }),
    application('excluded', { constraints: { spaces: ['^data'] } }),
    application('bound', { endpointBindings: { '': 'alpha', data: 'data' } }),
    application('open', { exposed: { '': { cidrs: ['10.0.0.0/8'], spaces: ['data'] } } }),
    applications[4],
  ]);
  expect(renamed[4]).toBe(applications[4]);
});

test('no use names a space after its removal', () => {
  expect(applications.map((one) => changeApplication(one, { from: 'db' })).slice(0, 4)).toEqual([
    application('wanted', { constraints: { spaces: ['web'] } }),
    application('excluded', {}),
    application('bound', { endpointBindings: { '': 'alpha', data: 'alpha' } }),
    application('open', { exposed: { '': { cidrs: ['10.0.0.0/8'], spaces: [] } } }),
  ]);
  expect(changeConstraints({ mem: 1024, spaces: ['^db'] }, { from: 'db' })).toEqual({ mem: 1024 });
});

test('the bindings that a rollback returns to follow the new name of a space, and do not prevent its removal', () => {
  const rolling = (bindings: object) =>
    application('rolling', { rollout: { before: { charmUrl: 'local:a-0', endpointBindings: bindings } } });
  const before = rolling({ '': 'alpha', data: 'db' });
  const model = { config: {}, constraints: {} };
  expect(usesOfSpace('db', { applications: [before], model }).bindings).toEqual([]);
  expect(changeApplication(before, { from: 'db', to: 'data' })).toEqual(
    rolling({ '': 'alpha', data: 'data' }),
  );
  expect(changeApplication(before, { from: 'db' })).toEqual(rolling({ '': 'alpha', data: 'alpha' }));
  expect(changeApplication(before, { from: 'web' })).toBe(before);
});
