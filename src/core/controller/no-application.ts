/** Advice to who looks for the application that Juju's controllers have (cli.md#the-controllers-application). */

const advice = 'no charm runs this controller, whose settings are those of controller-config';

/** Whether Juju has this application, or unit, in the controller's model. */
function isOfController(id: string): boolean {
  return id.split('/')[0] === 'controller';
}

/** Text of the error for an application or unit that a model does not have. */
export function notThere(kind: 'application' | 'unit', id: string, inControllerModel: boolean): string {
  const text = `${kind} "${id}" not found`;
  return inControllerModel && isOfController(id) ? `${text}: ${advice}` : text;
}
