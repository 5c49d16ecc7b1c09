import { exportBundle as exportOf } from '../../../core/bundle/export-bundle.ts';
import { JujuError } from '../../../core/errors.ts';
import { formatBundle } from '../../../core/bundle/format-bundle.ts';
import { toYaml } from '../../../kit/yaml/write.ts';
import type { bundle as spec } from '../../../wire/facades/bundle.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';

export function exportBundle(
  call: Call,
  params: ParamsOf<typeof spec, 'ExportBundle'>,
): ResultOf<typeof spec, 'ExportBundle'> {
  const view = call.read();
  const bundle = exportOf(view, {
    charmDefaults: params['include-charm-defaults'] ?? false,
    accessTo: ({ uuid }) =>
      Object.fromEntries(
        [...view.in('').find('offer-access', 'offer', uuid)].map(({ user, access }) => [user, access]),
      ),
  });
  if (Object.keys(bundle.applications).length === 0 && !params['allow-empty'])
    throw new JujuError('', 'nothing to export as there are no applications');
  const documents = formatBundle(bundle, { series: params['include-series'] ?? false });
  return { result: documents.map((document) => toYaml(document)).join('--- # overlay.yaml\n') };
}
