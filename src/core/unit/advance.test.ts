import { expect, test } from 'vitest';
import { finishDeploy, startDeploy } from './advance.ts';
import { newLocalState, type LocalState } from './local-state.ts';

test('a forced charm upgrade keeps the failed hook, and keeps a resource attached meanwhile until after the hook’s retry', () => {
  const op = {
    kind: 'hook',
    step: 'pending',
    hook: { kind: 'config-changed' },
    hookId: 'h1',
    failures: 2,
  } as const;
  const local: LocalState = { ...newLocalState, installed: true, charmUrl: 'local:web-0', op };
  const deploying = startDeploy(local, 'local:web-1', true);
  expect(finishDeploy(deploying, { charmUrl: 'local:web-1', charmModifiedVersion: 1 }, true)).toMatchObject({
    charmUrl: 'local:web-1',
    // A version that no application has, so that the charm is told of the former contents, too.
    charmModifiedVersion: -1,
    op,
  });
  expect(finishDeploy(deploying, { charmUrl: 'local:web-1', charmModifiedVersion: 0 }, true)).toMatchObject({
    charmUrl: 'local:web-1',
    charmModifiedVersion: 0,
    op,
  });
});
