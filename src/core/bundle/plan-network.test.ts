import { expect, test } from 'vitest';
import { apply, plan } from '../../testing/bundle/model.ts';
import { blog, charms, done, lines } from '../../testing/bundle/plan-lines.ts';

test.each([
  [{ db: 'dmz' }, 'set bindings for mysql to "db=dmz"'],
  [{ '': 'dmz' }, 'set bindings for mysql to "dmz"'],
  [{ '': 'dmz', db: 'alpha' }, 'set bindings for mysql to "dmz db=alpha"'],
  [{ '': 'dmz', db: '' }, 'set bindings for mysql to "dmz db=dmz"'],
  [{ '': 'alpha', db: '' }, undefined],
])('an application of the model gets the bindings %j by the step %j, once', (bindings, line) => {
  const model = done(blog);
  const bundle = {
    ...blog,
    applications: { ...blog.applications, mysql: { ...blog.applications.mysql, bindings } },
  };
  const changed = plan(bundle, model, charms);
  expect(lines(changed)).toEqual(line === undefined ? [] : [line]);
  expect(plan(bundle, apply(model, changed.steps, charms), charms).steps).toEqual([]);
  const unknown = { ...blog.applications.mysql, bindings: { nothing: 'dmz' } };
  expect(() =>
    plan({ ...blog, applications: { ...blog.applications, mysql: unknown } }, model, charms),
  ).toThrow('unknown endpoint "nothing" of charm "mysql" in bindings');
});

test('endpoints are exposed unless the model exposes them so already, in the words of Juju', () => {
  const model = done(blog);
  const exposes = (endpoints: object): object => ({
    ...blog,
    applications: {
      ...blog.applications,
      wordpress: { ...blog.applications.wordpress, expose: false, 'exposed-endpoints': endpoints },
    },
  });
  const bundle = exposes({
    '': { 'expose-to-cidrs': ['0.0.0.0/0', '::/0'] },
    db: { 'expose-to-spaces': ['dmz'], 'expose-to-cidrs': ['10.1.0.0/16', '10.0.0.0/16'] },
    cache: { 'expose-to-spaces': ['dmz'], 'expose-to-cidrs': ['10.0.0.0/16', '10.1.0.0/16'] },
    url: { 'expose-to-cidrs': ['10.0.0.0/16'] },
  });
  const changed = plan(bundle, model, charms);
  expect(lines(changed)).toEqual([
    'override expose settings for endpoints cache,db of wordpress and allow access from space dmz and CIDRs 10.0.0.0/16,10.1.0.0/16\n' +
      '  override expose settings for endpoint url of wordpress and allow access from CIDR 10.0.0.0/16',
  ]);
  const exposed = apply(model, changed.steps, charms);
  expect(plan(bundle, exposed, charms).steps).toEqual([]);
  expect(plan(blog, exposed, charms).steps).toEqual([]);
  expect(lines(plan(exposes({ '': { 'expose-to-cidrs': ['10.0.0.0/8'] } }), exposed, charms))).toEqual([
    'expose all endpoints of wordpress and allow access from CIDR 10.0.0.0/8',
  ]);
});
