import type { ApplicationDoc } from '../../../core/application/document.ts';
import { resourceId } from '../../../core/resource/document.ts';
import { shownResource } from '../../../core/resource/shown.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { resources as spec } from '../../../wire/facades/resources.ts';
import { unitTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { resourceResult } from '../../resources/resource-result.ts';
import type { View } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { applicationOfTag, charmOf } from '../shared/find.ts';

type Result = ResultOf<typeof spec, 'ListResources'>['results'][number];

export async function listResources(
  call: Call,
  params: ParamsOf<typeof spec, 'ListResources'>,
): Promise<ResultOf<typeof spec, 'ListResources'>> {
  const view = call.read();
  const emptyResult = { resources: [], 'charm-store-resources': [], 'unit-resources': [] };
  const results = await bulk(call, params.entities, ({ tag }) =>
    resourcesOf(call, view, applicationOfTag(view, tag)),
  );
  return {
    results: results.map((result) => ('error' in result ? { ...emptyResult, ...result } : result)),
  } as ResultOf<typeof spec, 'ListResources'>;
}

/** Resources that the charm declares, with the contents that the application and its units have. */
function resourcesOf(call: Call, view: View, application: ApplicationDoc): Result {
  const declared = charmOf(view, application).meta.resources;
  const names = Object.keys(declared);
  const key = (name: string) => ({ application: application.name, name });
  return {
    resources: names.map((name) =>
      resourceResult(shownResource(declared, key(name), view.get('resource', resourceId(key(name))))),
    ),
    'charm-store-resources': [],
    'unit-resources':
      names.length === 0
        ? []
        : [...view.find('unit', 'application', application.name)].map((unit) =>
            unitResources(call, view, unit, declared),
          ),
  };
}

/** Resources of a unit, with the progress of its downloads: a resource is listed once its download begins. */
function unitResources(
  call: Call,
  view: View,
  { name: unit, application }: UnitDoc,
  declared: Parameters<typeof shownResource>[0],
): Result['unit-resources'][number] {
  const had = view.get('unit-resources', unit)?.resources ?? {};
  const progress = call.services.downloads.ofUnit(call.modelUuid, unit);
  const names = Object.keys(declared).filter(
    (name) => Object.hasOwn(had, name) || Object.hasOwn(progress, name),
  );
  return {
    tag: unitTag(unit),
    resources: names.map((name) => {
      const key = { application, name };
      const content = Object.hasOwn(had, name) ? had[name] : undefined;
      return resourceResult(
        shownResource(declared, key, content && { ...content, ...key, sha256: content.fingerprint }),
      );
    }),
    'download-progress': progress,
  };
}
