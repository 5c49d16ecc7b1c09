import type { SecretSubject } from '../../core/secret-grant/document.ts';
import { unitApplication } from '../../core/names.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext, RelationView } from '../context.ts';
import { relationFlag, relationOf } from '../relation-of.ts';
import { checkLeads, secretArgument } from '../secret-arguments.ts';
import { atMost, defineTool } from '../tool.ts';

export const secretGrant = defineTool({
  name: 'secret-grant',
  args: '<ID>',
  purpose: 'Grant access to a secret.',
  flags: {
    relation: { ...relationFlag, help: 'The relation with which to associate the grant' },
    unit: { kind: 'string', help: 'The unit to which the grant applies' },
  },
  async run({ args, flags, context }) {
    atMost(args, 1);
    const id = secretArgument(context, args[0]);
    const relation = relationOf(context, flags.relation);
    const subject = remoteOf(relation, flags.unit);
    await checkLeads(context, id);
    context.changes.secrets.grant.push({ id, subject, relation: relation.id });
  },
});

export const secretRevoke = defineTool({
  name: 'secret-revoke',
  args: '<ID>',
  purpose: 'Revoke access to a secret.',
  flags: {
    relation: { ...relationFlag, help: 'The relation for which to revoke the grant' },
    app: { kind: 'string', help: 'Revoke access from all units in that application' },
    unit: { kind: 'string', help: 'Revoke access from that unit' },
  },
  async run({ args, flags, context }) {
    atMost(args, 1);
    const id = secretArgument(context, args[0]);
    if (flags.app !== '' && flags.unit !== '')
      throw new UsageError('specify only one of application or unit');
    const subject = revokedOf(context, flags);
    await checkLeads(context, id);
    const { grant, revoke } = context.changes.secrets;
    // Grants of the same hook are taken back before they exist.
    const kept = grant.filter(
      (one) => one.id !== id || one.subject.kind !== subject.kind || one.subject.id !== subject.id,
    );
    grant.splice(0, grant.length, ...kept);
    revoke.push({ id, subject });
  },
});

function revokedOf(
  context: HookContext,
  flags: { readonly relation: string; readonly app: string; readonly unit: string },
): SecretSubject {
  if (flags.app !== '') return { kind: 'application', id: flags.app };
  if (flags.unit !== '') return { kind: 'unit', id: flags.unit };
  return remoteOf(relationOf(context, flags.relation), '');
}

function remoteOf(relation: RelationView, unit: string): SecretSubject {
  if (unit === '') return { kind: 'application', id: relation.remoteApplication };
  if (!unit.includes('/')) throw new UsageError(`unit ${JSON.stringify(unit)} not valid`);
  if (unitApplication(unit) !== relation.remoteApplication)
    throw new UsageError(`unit "${unit}" is not in relation ${relation.endpoint}:${relation.id}`);
  return { kind: 'unit', id: unit };
}
