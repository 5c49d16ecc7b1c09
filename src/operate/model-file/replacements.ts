/** Replacements that a plan takes, as far as they are known before it is made. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { JujuError } from '../../core/errors.ts';
import type { ModelFile } from '../../core/model-file/model-file.ts';
import { replaceFlag } from '../../core/model-file/moved-offers.ts';
import { whyReplaced } from '../../core/model-file/plan-model.ts';
import type { LiveModel } from '../../core/model-file/plan.ts';
import { readCharms, type PlanMeans } from '../bundle/bundle-parts.ts';

/** A file that is planned. */
interface Replacing extends PlanMeans {
  readonly file: ModelFile;
  /** Applications that others may take the place of. */
  readonly replace: readonly string[];
}

/** Application that is to be replaced → why. */
export type Replacements = Readonly<Record<string, string>>;

/** The allowed ones of the replacements. */
export function allowed({ replace }: Pick<Replacing, 'replace'>, whys: Replacements): Replacements {
  return Object.fromEntries(
    replace.flatMap((name) => {
      const why = ownValue(whys, name);
      return why === undefined ? [] : [[name, why]];
    }),
  );
}

/**
 * The allowed replacements that have to be known before anything is planned: the file may name endpoints and options
 * that only its own charms have, and an application that is being removed cannot be planned. Errors: those of
 * bundleCharms.
 */
export async function knownReplacements(deploy: Replacing, live: LiveModel): Promise<Replacements> {
  const { dying } = live.bundle;
  const beingRemoved = deploy.replace.filter((name) => dying.includes(name));
  return {
    ...(await otherCharms(deploy, live, deploy.replace)),
    ...Object.fromEntries(beingRemoved.map((name) => [name, 'it is being removed'])),
  };
}

/** The error of a plan, with the replacements that are not allowed and without which the file may not fit the model. */
export async function withReplacements(error: unknown, deploy: Replacing, live: LiveModel): Promise<unknown> {
  if (!(error instanceof JujuError)) return error;
  const names = Object.keys(deploy.file.bundle.applications).filter((name) => !deploy.replace.includes(name));
  // Charms that cannot be read are what the error is about.
  const others = await otherCharms(deploy, live, names).catch(() => ({}));
  const flags = Object.keys(others).map((application) => replaceFlag({ application }));
  if (flags.length === 0) return error;
  const hint = `charms of another name than the model's take replacements: allow them with ${flags.join(' ')}`;
  return new JujuError(error.code, `${error.message}\n${hint}`, { cause: error });
}

/** Those of the applications that run a charm of another name than the file's. */
async function otherCharms(
  deploy: Replacing,
  live: LiveModel,
  names: readonly string[],
): Promise<Replacements> {
  const { file } = deploy;
  const applications = Object.fromEntries(
    names.flatMap((name) => {
      const one = ownValue(file.bundle.applications, name);
      return one && Object.hasOwn(live.bundle.state.applications, name) ? [[name, one]] : [];
    }),
  ) as Bundle['applications'];
  const { byApplication } = await readCharms(deploy, { ...file.bundle, applications }, live.bundle);
  return Object.fromEntries(
    Object.entries(byApplication).flatMap(([name, { differs }]) =>
      differs ? [[name, whyReplaced(file, live.bundle, name)]] : [],
    ),
  );
}
