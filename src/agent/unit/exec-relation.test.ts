import { describe, expect, test } from 'vitest';
import { execRelation, type ExecRelationRequest } from './exec-relation.ts';

const relations = {
  1: { members: {} },
  7: { members: { 'db/0': 3 } },
  8: { members: { 'db/10': 0, 'db/2': 0 } },
};
const ask = (request: Partial<ExecRelationRequest>) =>
  execRelation({ relation: '7', force: false, ...request }, relations);

describe('remote unit of commands in a relation', () => {
  test.each<[Partial<ExecRelationRequest>, number, string | undefined]>([
    [{ relation: 'db:7' }, 7, 'db/0'],
    [{ relation: '7' }, 7, 'db/0'],
    [{ relation: '8', remoteUnit: 'db/10' }, 8, 'db/10'],
    [{ relation: '8', remoteApplication: 'db' }, 8, undefined],
    [{ relation: '1', force: true }, 1, undefined],
    [{ relation: '7', remoteUnit: 'db/9', force: true }, 7, 'db/9'],
  ])('%j is relation %s with %s', (request, id, remoteUnit) => {
    const { relation, ...rest } = ask(request);
    expect(rest).toEqual({ id, ...(remoteUnit !== undefined && { remoteUnit }) });
    expect(relation).toBe(relations[id as 1]);
  });

  test.each<[Partial<ExecRelationRequest>, string]>([
    [{ relation: 'db:99' }, 'unknown relation id: 99'],
    [{ relation: 'constructor' }, 'invalid value "constructor" for option -r: invalid relation id'],
    [{ relation: '' }, 'invalid value "" for option -r: invalid relation id'],
    [{ relation: '1' }, 'cannot infer remote unit in empty relation 1'],
    [{ relation: '8' }, 'ambiguous remote unit; possibilities are [db/2 db/10]'],
    [{ remoteUnit: 'db/9' }, 'unknown remote unit db/9; possibilities are [db/0]'],
  ])('%j is refused: %s', (request, why) => {
    expect(() => ask(request)).toThrow(why);
  });
});
