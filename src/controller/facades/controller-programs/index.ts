import { checkNotBlocked } from '../../../core/block/blocks.ts';
import { checkProgramFiles } from '../../../core/controller/program.ts';
import { defined } from '../../../core/defined.ts';
import { hasCode, JujuError } from '../../../core/errors.ts';
import { shortBuild } from '../../../core/machine/program.ts';
import { isFrozen } from '../../../core/migration/phases.ts';
import type { controllerPrograms as spec } from '../../../wire/facades/controller-programs.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { programsOf } from '../../programs.ts';
import { noteFailedProgram } from '../../transactions/agent/controller-started.ts';

export const controllerPrograms = {
  Plan: { needs: 'superuser', run: plan },
  Upgrade: { needs: 'superuser', run: upgrade },
} satisfies FacadeTable<typeof spec>;

async function plan(
  call: Call,
  { files }: ParamsOf<typeof spec, 'Plan'>,
): Promise<ResultOf<typeof spec, 'Plan'>> {
  const programs = programsOf(call.services);
  if (files.length > 0) {
    checkProgramFiles(files);
    // Before anything is sent for an upgrade that would be refused.
    checkMayUpgrade(call);
  }
  const build = await programs.build();
  const planned = files.length > 0 ? await programs.plan(files) : undefined;
  return {
    version: call.services.version,
    arch: programs.arch,
    build,
    missing: planned?.missing ?? [],
    ...defined({ failed: programs.failed, planned: planned?.build }),
  };
}

async function upgrade(
  call: Call,
  { files }: ParamsOf<typeof spec, 'Upgrade'>,
): Promise<ResultOf<typeof spec, 'Upgrade'>> {
  const programs = programsOf(call.services);
  checkProgramFiles(files);
  checkMayUpgrade(call);
  const from = shortBuild(await programs.build());
  await programs.upgrade(files).catch(async (error: unknown) => {
    // With that, a program that did not come up is forgotten.
    if (hasCode(error, 'already exists'))
      await call.store.change((tx) => noteFailedProgram(tx.in(''), programs.failed), call.by);
    throw error;
  });
  call.services.log.info('the controller takes another program', { by: call.by, from });
  return {};
}

/** Errors: `operation is blocked` by a block of the model `controller`; '' while a model is being migrated. */
function checkMayUpgrade(call: Call): void {
  const root = call.read().in('');
  checkNotBlocked(call.read().in(root.get('controller', 'self')?.modelUuid ?? ''), 'change');
  for (const migration of root.list('migration')) {
    if (!isFrozen(migration)) continue;
    const { name = '' } = root.get('model', migration.model) ?? {};
    throw new JujuError('', `model "${name}" is being migrated: upgrade the controller when that has ended`);
  }
}
