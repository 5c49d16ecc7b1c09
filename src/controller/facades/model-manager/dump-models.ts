import { dumpedDocument, isDumped } from '../../../core/model/dump.ts';
import type { Kind } from '../../../core/kinds.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
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
    for await (const { kind, shown, isFirst } of dump(call, modelOfTag(call, tag, 'admin'), simplified)) {
      if (kind === 'model') parts.push(toYaml({ model: shown }));
      else parts.push(isFirst ? `${kind}:\n` : '', listItem(toYaml(shown)));
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
    const result: Record<string, unknown[]> = {};
    for await (const { kind, shown } of dump(call, modelOfTag(call, tag, 'admin'), false))
      (result[kind] ??= []).push(shown);
    return { result };
  });
  return { results: results.map((one) => ({ result: {}, ...one })) };
}

interface Dumped {
  readonly kind: Kind;
  readonly shown: unknown;
  /** Whether the document is the first of its kind. */
  readonly isFirst: boolean;
}

/**
 * The model and its documents, kind after kind, without secrets. Errors: `quota limit exceeded` where an answer has no
 * room.
 */
async function* dump(call: Call, model: ModelDoc, simplified: boolean): AsyncIterable<Dumped> {
  const [pause, size] = [pauseOf(call), new AnswerSize()];
  const view = call.read().in(model.uuid);
  yield { kind: 'model', shown: dumpedDocument('model', model), isFirst: true };
  for (const kind of kinds) {
    if (!isDumped(kind, simplified)) continue;
    size.add(view.count(kind));
    let isFirst = true;
    for (const doc of view.list(kind)) {
      await pause();
      size.checkRoom();
      const shown = dumpedDocument(kind, doc);
      size.count(shown);
      yield { kind, shown, isFirst };
      isFirst = false;
    }
  }
}

/** A YAML text as an item of a list. */
function listItem(yaml: string): string {
  return `- ${yaml.trimEnd().replaceAll('\n', '\n  ')}\n`;
}
