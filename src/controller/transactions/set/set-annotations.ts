import { checkAnnotationKey } from '../../../core/annotation/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { parseTag } from '../../../wire/tags.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/** Sets annotations of an entity; an empty value removes its key. Errors: `not found`, `not supported`, `not valid`. */
export function setAnnotations(
  tx: Tx,
  args: { tag: string; values: Readonly<Record<string, string>> },
): void {
  checkAnnotated(tx, args.tag);
  const values = { ...tx.get('annotation', args.tag)?.values };
  for (const [key, value] of Object.entries(args.values)) {
    checkAnnotationKey(key);
    if (value === '') delete values[key];
    else values[key] = value;
  }
  if (Object.keys(values).length === 0) tx.remove('annotation', args.tag);
  else tx.put('annotation', args.tag, { tag: args.tag, values });
}

/** Checks that the entity exists and can be annotated. Errors: `not found`, `not supported`. */
export function checkAnnotated(view: View, tag: string): void {
  const { kind, id } = parseTag(tag);
  switch (kind) {
    case 'application':
    case 'unit':
    case 'machine':
    case 'charm':
      return void mustGet(view, kind, id);
    case 'model':
      if (id !== view.space) throw new JujuError('not found', `model "${id}" not found`);
      return;
    case 'relation':
      if ([...view.find('relation', 'key', id)].length === 0)
        throw new JujuError('not found', `relation "${id}" not found`);
      return;
    default:
      throw new JujuError('not supported', `annotations on entity "${tag}" not supported`);
  }
}
