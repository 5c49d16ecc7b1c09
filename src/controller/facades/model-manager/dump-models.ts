import { dumpedDocument, isDumped } from '../../../core/model/dump.ts';
import type { Entities, Kind } from '../../../core/kinds.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { inCollections, type Collected, type DumpedModel } from '../../../core/model/juju-collections.ts';
import { specs } from '../../../core/specs.ts';
import { toYaml } from '../../../kit/yaml/write.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { pauseOf } from '../shared/pause.ts';

const kinds = (Object.keys(specs) as Kind[]).filter((kind) => specs[kind].space !== 'controller');

export async function dumpModels(
  call: Call,
  { entities, simplified }: ParamsOf<typeof spec, 'DumpModels'>,
): Promise<ResultOf<typeof spec, 'DumpModels'>> {
  const results = await bulk(call, entities, async ({ tag }) => {
    const parts: string[] = [];
    let last: Kind = 'model';
    const model = modelOfTag(call, tag, 'admin');
    for await (const { kind, shown } of dump(call, model, { simplified, show: (one) => [one.shown] })) {
      if (kind === 'model') parts.push(toYaml({ model: shown }));
      else parts.push(kind === last ? '' : `${kind}:\n`, listItem(toYaml(shown)));
      last = kind;
    }
    return { result: parts.join('') };
  });
  return { results: results.map((one) => ({ result: '', ...one })) };
}

export async function dumpModelsDb(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'DumpModelsDB'>,
): Promise<ResultOf<typeof spec, 'DumpModelsDB'>> {
  const results = await bulk(call, entities, async ({ tag }) => {
    const model = modelOfTag(call, tag, 'admin');
    const view = call.read().in(model.uuid);
    const source: DumpedModel = {
      uuid: model.uuid,
      relation: (id) => view.get('relation', id),
      offer: (name) => view.get('offer', name),
      count: (kind, index, value) => view.count(kind, index, value),
    };
    const result: Record<string, unknown[]> = {};
    const show = (one: Dumped): readonly Collected[] => inCollections(source, one);
    for await (const { shown } of dump(call, model, { simplified: false, show }))
      (result[shown.collection] ??= []).push(shown.document);
    return { result };
  });
  return { results: results.map((one) => ({ result: {}, ...one })) };
}

interface Dumped {
  readonly kind: Kind;
  readonly doc: Entities[Kind];
  /** The document without secrets. */
  readonly shown: unknown;
}

/**
 * The model and its documents, kind after kind, as `show` makes them. Errors: `quota limit exceeded` where an answer
 * has no room.
 */
async function* dump<T>(
  call: Call,
  model: ModelDoc,
  { simplified, show }: { readonly simplified: boolean; readonly show: (one: Dumped) => readonly T[] },
): AsyncIterable<{ readonly kind: Kind; readonly shown: T }> {
  const [pause, size] = [pauseOf(call), new AnswerSize()];
  const view = call.read().in(model.uuid);
  const shownOf = (kind: Kind, doc: Entities[Kind]): readonly T[] =>
    show({ kind, doc, shown: dumpedDocument(kind, doc) });
  for (const shown of shownOf('model', model)) yield { kind: 'model', shown };
  for (const kind of kinds) {
    if (!isDumped(kind, simplified)) continue;
    size.add(view.count(kind));
    for (const doc of view.list(kind)) {
      await pause();
      size.checkRoom();
      for (const shown of shownOf(kind, doc)) {
        size.count(shown);
        yield { kind, shown };
      }
    }
  }
}

/** A YAML text as an item of a list. */
function listItem(yaml: string): string {
  return `- ${yaml.trimEnd().replaceAll('\n', '\n  ')}\n`;
}
