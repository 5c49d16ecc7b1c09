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
