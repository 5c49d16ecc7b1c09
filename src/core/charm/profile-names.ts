/**
 * Names of instances' profiles, shared by the code that requests and the code that creates them
 * (provider-rules.md#instance-profiles).
 */

interface Model {
  readonly modelName: string;
  readonly modelUuid: string;
}

/** Returns `juju-<model>-<6 hex of its uuid>`, the prefix of the names of the model's charm profiles. */
export function modelProfileName({ modelName, modelUuid }: Model): string {
  return `juju-${modelName}-${modelUuid.slice(-6)}`;
}

export function charmProfileName(model: Model, application: string, revision: number): string {
  return `${modelProfileName(model)}-${application}-${revision}`;
}
