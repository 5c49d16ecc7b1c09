import { command, modelFlags } from '../command.ts';
import { text } from '../flags.ts';
import { suspendRelations } from '../suspension.ts';

export const suspendRelation = command({
  name: 'suspend-relation',
  summary: 'Suspends a relation to an application offer.',
  usage: '<relation-id>[ <relation-id>...]',
  details: `The units of both models leave the relation until it is resumed. Only the offering model can do that; "offers"
shows the ids.`,
  examples: ['suspend-relation 123', 'suspend-relation 123 456 --message "maintenance"'],
  seeAlso: ['integrate', 'offers', 'remove-relation', 'resume-relation'],
  flags: { ...modelFlags, message: text('--message', 'Reason for suspension') },
  run: (context, { model, message }, ids) =>
    suspendRelations(context, model, { ids, suspended: true, message }),
});
