/** Facade by which other controllers bring models here; its callers are superusers. */
import type { modelArrivals as spec } from '../../../wire/facades/model-arrivals.ts';
import type { FacadeTable } from '../../facade.ts';
import { abort, activateArrived, adoptResources } from './decide.ts';
import { begin, prechecks } from './begin.ts';
import { importContent, importDocuments, importSecrets, missingContents } from './contents.ts';

const needs = 'superuser';

export const modelArrivals = {
  Prechecks: { needs, run: prechecks },
  Import: { needs, run: begin },
  ImportDocuments: { needs, run: importDocuments },
  ImportSecrets: { needs, run: importSecrets },
  MissingContents: { needs, run: missingContents },
  ImportContent: { needs, run: importContent },
  Activate: { needs, run: activateArrived },
  AdoptResources: { needs, run: adoptResources },
  Abort: { needs, run: abort },
} satisfies FacadeTable<typeof spec>;
