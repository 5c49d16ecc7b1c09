import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { resources as spec } from '../../../wire/facades/resources.ts';
import { unitTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { applicationOfTag, charmOf } from '../shared/find.ts';
import { defined } from '../../../core/defined.ts';

type Result = ResultOf<typeof spec, 'ListResources'>['results'][number];

export async function listResources(
  call: Call,
  params: ParamsOf<typeof spec, 'ListResources'>,
): Promise<ResultOf<typeof spec, 'ListResources'>> {
  const view = call.read();
  const emptyResult = { resources: [], 'charm-store-resources': [], 'unit-resources': [] };
  const results = await bulk(call, params.entities, ({ tag }) =>
    resourcesOf(view, applicationOfTag(view, tag)),
  );
  return {
    results: results.map((result) => ('error' in result ? { ...emptyResult, ...result } : result)),
  } as ResultOf<typeof spec, 'ListResources'>;
}

/** Resources that the charm declares, without content: revision 0, no fingerprint, the zero time. */
function resourcesOf(view: View, application: ApplicationDoc): Result {
  const declared = Object.entries(charmOf(view, application).meta.resources);
  return {
    resources: declared.map(([name, { type, path, description }]) => ({
      id: `${application.name}/${name}`,
      'pending-id': '',
      application: application.name,
      username: '',
      timestamp: '0001-01-01T00:00:00Z',
      name,
      type,
      path,
      ...defined({ description: description || undefined }),
      origin: 'upload',
      revision: 0,
      fingerprint: null,
      size: 0,
    })),
    'charm-store-resources': [],
    'unit-resources': [...view.find('unit', 'application', application.name)].map((unit) => ({
      tag: unitTag(unit.name),
      resources: [],
      'download-progress': {},
    })),
  };
}
