/**
 * Names of instances' profiles, for whoever asks for them and whoever makes them (provider-rules.md#instance-profiles).
 */

interface Model {
  readonly modelName: string;
  readonly modelUuid: string;
}

/** `juju-<model>-<6 hex of its uuid>`; those of its charms begin with it. */
export function modelProfileName({ modelName, modelUuid }: Model): string {
  return `juju-${modelName}-${modelUuid.slice(-6)}`;
}

export function charmProfileName(model: Model, application: string, revision: number): string {
  return `${modelProfileName(model)}-${application}-${revision}`;
}
