/** Schemas of answers against the members that Juju's have. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { differences, jujuAnswers, membersOfSchema } from '../../testing/answers/juju-answers.ts';
import { facades } from './index.ts';

const answers = jujuAnswers();

/** Members that grigri adds, by path, or by method and path: clients of Juju ignore what they do not know. */
const added: readonly RegExp[] = [
  / \+(.*\.)?(warnings|requirements|reused)$/,
  /^Application\.ApplicationsInfo \+results\[\]\.result\.(require|after|pending)$/,
  /^Application\.UnitsInfo \+results\[\]\.result\.waiting$/,
  /^Charms\.CharmInfo \+(sha256|version|required)$/,
  /^Client\.FullStatus \+(strays|applications\{\}\.(pending|rollout|units\{\}.*\.unplaced))$/,
  /^Client\.FullStatus \+remote-applications\{\}\.offer-uuid$/,
  // Clients whose classes were generated from a schema want the part under its own name, too.
  /\+.*\.VolumeAttachmentInfo$/,
];

const served = facades.flatMap(({ spec }) =>
  Object.entries(spec.methods)
    .map(([method, { result }]) => ({ name: `${spec.name}.${method}`, result }))
    .filter(({ name }) => answers.has(name)),
);

describe.each(served)('$name', ({ name, result }) => {
  test('the answer has the members of Juju’s', () => {
    const found = differences(answers.get(name)!, membersOfSchema(result)).map((one) => `${name} ${one}`);
    expect(found.filter((one) => !added.some((pattern) => pattern.test(one)))).toEqual([]);
  });
});

test('a member that is missing, may be absent, or is not Juju’s is reported', () => {
  const juju = answers.get('Application.Leader')!;
  expect([...juju]).toEqual([
    ['error', false],
    ['error.message', true],
    ['error.code', true],
    ['error.info', false],
    ['result', true],
  ]);
  const of = (shape: Parameters<typeof z.object>[0]): string[] =>
    differences(juju, membersOfSchema(z.object(shape)));
  expect(of({ result: z.string() })).toEqual([]);
  expect(of({ result: z.string().optional() })).toEqual(['-result']);
  expect(of({ name: z.string() })).toEqual(['-result', '+name']);
  const error = z.object({ message: z.string() }).optional();
  expect(of({ result: z.string(), error })).toEqual(['-error.code']);
});
