import { notValid } from '../errors.ts';
import { changedKeys } from '../history/values.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { SetBy } from '../model-file/ownership.ts';

/** Refuses a key that no annotation may have. Errors: `not valid`. */
export function checkAnnotationKey(key: string): void {
  if (key === '' || /[.\s]/.test(key)) throw notValid(`invalid key ${JSON.stringify(key)}`);
}

/** Annotations of an entity. Model space; id = the entity's tag. */
interface AnnotationDoc {
  readonly tag: string;
  readonly values: Readonly<Record<string, string>>;
  /** Values of the document that model files have set. */
  readonly setBy?: SetBy;
}

export const annotation = defineKind<AnnotationDoc>()({
  space: 'model',
  idOf: ({ tag }) => tag,
  quota: {
    name: ({ tag }) => tag,
    measures: [{ limit: limits.annotationKeys, of: ({ values }) => values }],
  },
  describe: (before, after, { id, names }) => {
    const keys = changedKeys(before?.values, after?.values);
    const entity = names.entityOfTag(id);
    if (keys === '') return [];
    const subject = !entity ? id : entity.kind === 'model' ? 'model' : `${entity.kind} ${entity.id}`;
    return [{ subject, what: `annotations: ${keys}`, detail: '', about: entity ? [entity] : [] }];
  },
});
