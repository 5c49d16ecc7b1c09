import { explain as explainEntity, actorsOf } from '../../../core/explain/explain.ts';
import type { Explanation } from '../../../core/explain/explanation.ts';
import { explainSaas, saasNamed } from '../../../core/explain/explain-saas.ts';
import { explainSecret, secretNamed } from '../../../core/explain/explain-secret.ts';
import { findEntity } from '../../../core/explain/find-entity.ts';
import { usageOf } from '../../../core/explain/usage.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { authorityEnd } from '../../authority-end.ts';
import { explainViewOf } from '../shared/explain-view.ts';
import { lastHookLines, moduleOf } from './last-words.ts';
import { defined } from '../../../core/defined.ts';

type Explained = ResultOf<typeof spec, 'Explain'>;

/** Explains an entity. Errors: `not found`, with what may have been meant; '' when several may be. */
export async function explain(call: Call, { names }: ParamsOf<typeof spec, 'Explain'>): Promise<Explained> {
  const { problem } = call.store;
  const authorityEndMs = authorityEnd(call.services.caCert);
  const view = {
    ...explainViewOf(call),
    ...(authorityEndMs === undefined ? {} : { authorityUntil: new Date(authorityEndMs).toISOString() }),
    ...defined({ storeProblem: problem }),
  };
  const secret = secretNamed(names, view);
  const saas = secret ? undefined : saasNamed(names, view);
  const entity = secret || saas ? undefined : findEntity(names, view);
  const explanation = secret
    ? explainSecret(secret, view)
    : saas
      ? explainSaas(saas, view)
      : explainEntity(entity!, view);
  const actors = actorsOf(explanation);
  const hookLines = await lastHookLines(call.services.logs, call.modelUuid, actors);
  const nextActors = actors.map((actor) => {
    const lines = actor.hook && hookLines.get(moduleOf(actor.hook));
    return lines && lines.length > 0 ? { ...actor, hook: { ...actor.hook, said: lines } } : actor;
  });
  const { store, modelUuid } = call;
  const quotas = entity
    ? usageOf(entity, view, call.read().in(''), (of) =>
        store.held(modelUuid, of && { kind: of.kind, index: 'toldBy', value: of.toldBy }),
      )
    : [];
  return { now: view.now, explanation: toWire(explanation), next: nextActors, quotas };
}

function toWire({ waitsFor, ...rest }: Explanation): Explained['explanation'] {
  return { ...rest, 'waits-for': waitsFor.map(toWire) };
}
