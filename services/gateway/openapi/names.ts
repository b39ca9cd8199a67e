/** How things are called in the document. */

/** `contribution.start_cycle` -> `startCycle`. */
export function operationIdOf(actionName: string): string {
  const [, action = ''] = actionName.split('.');
  return action.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** `pin_not_set` -> `PinNotSet`. */
export function pascal(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** `/associations/:association_id` -> `/associations/{association_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
