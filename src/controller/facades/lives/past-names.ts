import type { CharmDoc } from '../../../core/charm/document.ts';
import type { PastNames } from '../../../core/history/event.ts';
import { parseTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { cloudType } from '../shared/model-config.ts';
import { currentModel } from '../shared/model.ts';
import { lastOf } from '../shared/last-of.ts';

/** Names of present and removed entities, looked up once for an answer. */
export function pastNames(call: Call, uuid: string): PastNames {
  const charms = new Map<string, CharmDoc | undefined>();
  const relations = new Map<string, string | undefined>();
  const attributes = call.services.providers.get(cloudType(call, currentModel(call).cloud))?.config ?? {};
  return {
    relationKey: (id) => {
      if (!relations.has(id)) relations.set(id, lastOf(call, uuid, 'relation', id)?.key);
      return relations.get(id);
    },
    isSecretOption: (charmUrl, option) => {
      if (!charms.has(charmUrl)) charms.set(charmUrl, lastOf(call, uuid, 'charm', charmUrl));
      const charm = charms.get(charmUrl);
      return charm && charm.config[option]?.type === 'secret';
    },
    isSecretModelKey: (key) => attributes[key]?.secret === true,
    entityOfTag: (tag) => {
      const { kind, id } = parseTag(tag);
      if (kind === 'unit' || kind === 'application' || kind === 'machine' || kind === 'model')
        return { kind, id };
      return undefined;
    },
  };
}
