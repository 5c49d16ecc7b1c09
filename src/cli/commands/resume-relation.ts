import { command, modelFlags } from '../command.ts';
import { suspendRelations } from '../suspension.ts';

export const resumeRelation = command({
  name: 'resume-relation',
  summary: 'Resumes a suspended relation to an application offer.',
  usage: '<relation-id>[ <relation-id>...]',
  details: 'The user who consumed the offer must still have access to it.',
  examples: ['resume-relation 123', 'resume-relation 123 456'],
  seeAlso: ['integrate', 'offers', 'remove-relation', 'suspend-relation'],
  flags: modelFlags,
  run: (context, { model }, ids) => suspendRelations(context, model, { ids, suspended: false }),
});
