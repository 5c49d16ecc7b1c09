import { JujuError } from '../../../core/errors.ts';
import { declaredResource } from '../../../core/resource/shown.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { resourceOfUnit } from '../../transactions/shared/resources.ts';
import { mustGet } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';

/** The content that a unit's application has now. Errors: `not found` for what is not declared, or not uploaded. */
export function resourceInfo(
  call: Call,
  params: { unit: string; name: string },
): MachineAgentMethods['ResourceInfo']['result'] {
  const view = call.read();
  const unit = ownUnit(call, view, params.unit);
  const { name } = params;
  const { charmUrl, doc } = resourceOfUnit(view, unit, name);
  const declared = declaredResource(mustGet(view, 'charm', charmUrl).meta.resources, name);
  if (!doc) throw new JujuError('not found', `resource "${name}" not found: it is not uploaded yet`);
  const had = view.get('unit-resources', unit.name)?.resources ?? {};
  return {
    path: declared.type === 'oci-image' ? 'content.yaml' : declared.path,
    fingerprint: doc.fingerprint,
    size: doc.size,
    isNews: !Object.hasOwn(had, name) || had[name]?.timestamp !== doc.timestamp,
  };
}
