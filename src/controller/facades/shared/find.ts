import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { mustGet, type View } from '../../transactions/tx.ts';

/** Errors: `not found`, '' for what is not an application's tag. */
export function applicationOfTag(view: View, tag: string): ApplicationDoc {
  return mustGet(view, 'application', parseTagOf('application', tag));
}

/** The charm that its new units run. */
export function charmOf(view: View, application: ApplicationDoc): CharmDoc {
  return mustGet(view, 'charm', application.charmUrl);
}
