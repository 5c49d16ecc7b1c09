import { modelTag } from '../../../wire/tags.ts';
import { connectionCounts } from '../../relation-status.ts';
import type { DeltaScope } from './delta.ts';

type Body = Record<string, unknown> | undefined;

export function relationBody({ reader }: DeltaScope, id: string): Body {
  const relation = reader.get('relation', id);
  return (
    relation && {
      key: relation.key,
      id: relation.id,
      endpoints: relation.endpoints.map(({ application, ...endpoint }) => ({
        'application-name': application,
        relation: endpoint,
      })),
    }
  );
}

/** SAAS applications; proxies of consumers are not shown. */
export function remoteApplicationBody({ reader }: DeltaScope, name: string): Body {
  const remote = reader.get('remote-application', name);
  if (!remote?.saas) return undefined;
  const { status, message, since } = remote.saas.status;
  return {
    name,
    'offer-url': remote.saas.url,
    life: remote.ending ? 'dying' : 'alive',
    status: { current: status, message, since, version: '' },
  };
}

/** Body of an offer, for admins of the model. */
export function applicationOfferBody({ reader }: DeltaScope, name: string): Body {
  const offer = reader.get('offer', name);
  if (!offer) return undefined;
  const charm = reader.get('charm', reader.get('application', offer.application)?.charmUrl ?? '');
  return {
    'offer-name': name,
    'offer-uuid': offer.uuid,
    'application-name': offer.application,
    'charm-name': charm?.meta.name ?? '',
    ...connectionCounts(reader, name),
  };
}

export function charmBody({ reader }: DeltaScope, url: string): Body {
  const charm = reader.get('charm', url);
  if (!charm) return undefined;
  const defaults = Object.entries(charm.config).flatMap(([name, option]) =>
    option.default === undefined ? [] : [[name, option.default] as const],
  );
  return {
    'charm-url': url,
    'charm-version': charm.version,
    life: 'alive',
    profile: null,
    config: Object.fromEntries(defaults),
  };
}

export function annotationBody({ reader }: DeltaScope, tag: string): Body {
  const annotation = reader.get('annotation', tag);
  return annotation && { tag, annotations: annotation.values };
}

export function blockBody({ reader, modelUuid }: DeltaScope, type: string): Body {
  const block = reader.get('block', type);
  return block && { id: String(block.number), type, message: block.message, tag: modelTag(modelUuid) };
}

/** Go's zero time, for what has not happened. */
const never = '0001-01-01T00:00:00Z';

export function actionBody({ reader }: DeltaScope, id: string): Body {
  const task = reader.get('task', id);
  return (
    task && {
      id,
      receiver: task.receiver,
      name: task.name,
      parameters: task.parameters,
      status: task.status,
      message: task.message,
      results: task.output,
      enqueued: task.enqueued,
      started: task.started ?? never,
      completed: task.completed ?? never,
    }
  );
}
