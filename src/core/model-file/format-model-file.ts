import { filled, formatBundle } from '../bundle/format-bundle.ts';
import { mergeDocuments } from '../bundle/overlay.ts';
import { formatConstraints } from '../constraints.ts';
import { compareNames } from '../names.ts';
import type { FileSecret, ModelFile } from './model-file.ts';

type Plain = Record<string, unknown>;

/** A model file as the document of its text: what belongs to the model, and then its bundle. */
export function formatModelFile(file: ModelFile): Plain {
  const merged = mergeDocuments(formatBundle(file.bundle)) as Plain;
  const { name, description, applications, machines, relations, ...bundle } = merged;
  const model = filled({
    settings: byName(file.settings),
    constraints: formatConstraints(file.constraints ?? {}),
    access: byName(file.access),
    'storage-pools': mapped(file.storagePools, ({ provider, attributes }) => ({
      provider,
      ...filled({ attributes: byName(attributes) }),
    })),
    secrets: mapped(file.secrets, secretOf),
  });
  return escaped({
    ...filled({ name, description }),
    ...model,
    ...bundle,
    ...filled({ applications, machines, relations }),
  });
}

/** A secret as its entry; one without anything is an empty map, as null reads as absent. */
function secretOf({ description, content, grants }: FileSecret): Plain {
  return filled({ description, content: content && byName(content), grants: [...grants] });
}

function mapped<T>(record: Readonly<Record<string, T>>, format: (one: T) => Plain): Plain {
  return Object.fromEntries(Object.entries(byName(record)).map(([name, one]) => [name, format(one)]));
}

function byName<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareNames(a, b)));
}

/** The map with `$${` for `${`, so that no text of the model is taken for a variable. */
function escaped(map: Plain): Plain {
  const escape = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll('${', () => '$${');
    if (Array.isArray(value)) return value.map(escape);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escape(one)]));
  };
  return escape(map) as Plain;
}
