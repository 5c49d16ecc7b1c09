/** Commands that explanations suggest, for the model that the user has asked about. */

/** Commands about what belongs to the controller, whatever the model: they take -c instead of -m. */
const ofController = ['grant', 'update-credential', 'upgrade-controller'];

/** Completes a command by the model that -m gave. One that names a model or another controller itself stays. */
export function lineFor(line: string, model: string): string {
  const [name = ''] = line.split(' ', 1);
  if (name === 'destroy-model') return `destroy-model ${model}`;
  if (line.includes(' -m ')) return line;
  if (!ofController.includes(name)) return `${line} -m ${model}`;
  const controller = controllerIn(model);
  return controller === '' || line.includes(':') ? line : `${line} -c ${controller}`;
}

/** Returns the controller that a value of -m names; '' = the current one. */
export function controllerIn(model: string): string {
  return model.includes(':') ? model.slice(0, model.indexOf(':')) : '';
}
