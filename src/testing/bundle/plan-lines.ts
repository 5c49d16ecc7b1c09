/** Plans of bundles as tests read them. */
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { describeStep } from '../../core/bundle/describe-step.ts';
import type { BundlePlan } from '../../core/bundle/plan-bundle.ts';
import { files, logging, mysql, ping, pong, web, wordpress } from './charms.ts';
import { apply, emptyModel, plan, type Charms } from './model.ts';

export const charms: Charms = { files, mysql, wordpress, web, logging, ping, pong };

/** Returns the steps as a dry run shows them. */
export function lines({ steps, waits }: BundlePlan): string[] {
  return steps.map((step) =>
    describeStep(step, {
      unit: ({ application, index }) => `${application}/${index}`,
      machineMadeBy: () => undefined,
      waitsFor: (application) => (waits.has(application) ? 'something' : undefined),
    }),
  );
}

/** Returns the model after all of a bundle is deployed. */
export function done(bundle: object): BundleModel {
  return apply(emptyModel, plan(bundle, emptyModel, charms).steps, charms);
}

/** Bundle of two applications with a relation. */
export const blog = {
  applications: {
    wordpress: { charm: './wordpress', num_units: 2, options: { port: 81 }, expose: true },
    mysql: { charm: './mysql', num_units: 1, constraints: 'mem=2G', annotations: { x: '1' } },
  },
  relations: [['wordpress', 'mysql']],
};
