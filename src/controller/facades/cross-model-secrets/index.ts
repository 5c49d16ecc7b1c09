import { defined } from '../../../core/defined.ts';
import { notValid } from '../../../core/errors.ts';
import { parseSecretUri } from '../../../core/secret/secret-id.ts';
import type { crossModelSecrets as spec } from '../../../wire/facades/cross-model-secrets.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { scopeOfReading, type OtherReading } from '../../transactions/remote/other-models-readings.ts';
import { checkRelation, viewOf } from '../cross-model-relations/relation.ts';
import { bulk } from '../shared/bulk.ts';
import { readForOther } from '../shared/read-for-other.ts';

type Args<M extends keyof (typeof spec)['methods']> = ParamsOf<typeof spec, M>;
type Result<M extends keyof (typeof spec)['methods']> = Promise<ResultOf<typeof spec, M>>;

/** Secrets as other controllers read them; each reading is checked by its macaroons (offers.md#offer-macaroons). */
export const crossModelSecrets = {
  GetSecretAccessScope: { needs: 'anonymous', run: getSecretAccessScope },
  GetSecretContentInfo: { needs: 'anonymous', run: getSecretContentInfo },
} satisfies FacadeTable<typeof spec>;

async function getSecretAccessScope(
  call: Call,
  { args }: Args<'GetSecretAccessScope'>,
): Result<'GetSecretAccessScope'> {
  const results = await bulk(call, args, (item) => {
    const { remote } = scopeOfReading(viewOf(call), {
      id: idOf(call, item.uri),
      applicationToken: item['application-token'],
    });
    return { result: remote.token };
  });
  return { results };
}

async function getSecretContentInfo(
  call: Call,
  { args }: Args<'GetSecretContentInfo'>,
): Result<'GetSecretContentInfo'> {
  const results = await bulk(call, args, async (item) => {
    const { revision, peek = false, refresh = false } = item;
    // Juju sends 0 for none.
    if (!revision && !peek && !refresh) throw notValid('empty secret revision not valid');
    const reading: OtherReading = {
      id: idOf(call, item.uri),
      applicationToken: item['application-token'],
      unit: item['unit-id'],
      peek,
      refresh,
      ...defined({ revision: peek || refresh ? undefined : revision }),
    };
    const { remote } = scopeOfReading(viewOf(call), reading);
    checkRelation(call, remote.token, item);
    const { content, latest } = await readForOther(call, call.modelUuid, reading);
    return { content: { data: { ...content } }, 'latest-revision': latest };
  });
  return { results };
}

/** Returns the id that a URI names. Errors: `not valid` for a URI that is none, or names another model. */
function idOf({ modelUuid }: Call, uri: string): string {
  const { id, model = modelUuid } = parseSecretUri(uri);
  if (model !== modelUuid) throw notValid('secret URI of another model not valid');
  return id;
}
