/** How things are called in the document. */
import { pascal } from '../../../lib/schema/json-schema.ts';

/** `contribution.start_cycle` -> `startCycle`. */
export function operationIdOf(actionName: string): string {
  const [, action = ''] = actionName.split('.');
  return action.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** `/associations/:association_id` -> `/associations/{association_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** `contribution.get_cycle` and `Answer` -> `GetCycleAnswer`; also of a parameter's name. */
export function schemaNameOf(actionName: string, what: string): string {
  return `${pascal(actionName.split('.')[1] ?? '')}${what}`;
}
