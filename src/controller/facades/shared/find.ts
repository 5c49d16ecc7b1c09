import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { mustGet, type View } from '../../transactions/tx.ts';

/** Finds the application of a tag. Errors: `not found`, '' for a tag of another kind. */
export function applicationOfTag(view: View, tag: string): ApplicationDoc {
  return mustGet(view, 'application', parseTagOf('application', tag));
}

/** Charm that new units of the application run. */
export function charmOf(view: View, application: ApplicationDoc): CharmDoc {
  return mustGet(view, 'charm', application.charmUrl);
}
