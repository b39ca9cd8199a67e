/** The variables that only a further service has, as its definition reads them. */
import type { FurtherService } from '../../lib/config/service-names.ts';
import type { VariableType } from '../../lib/config/variable-types.ts';
import type { ServiceDefinition } from '../../lib/service/define-service.ts';
import { reminders } from '../../services/reminders/src/service.ts';
import { webhooks } from '../../services/webhooks/src/service.ts';

const DEFINITIONS: Record<FurtherService, Pick<ServiceDefinition, 'settings' | 'secrets' | 'generatedSecrets'>> = {
  webhooks,
  reminders,
};

export interface OwnVariables {
  /** For each variable X of these and of `generated`, X_FILE may name a file with the value. */
  secrets: string[];
  /** Those that `npm run secrets` makes. */
  generated: string[];
  others: string[];
}

/** Returns the variables of a further service. */
export function ownVariables(service: FurtherService): OwnVariables {
  const { settings, secrets = [], generatedSecrets: generated = [] } = DEFINITIONS[service];
  const read = new Set<string>();
  settings?.(
    <T>(variable: string, type: VariableType<T>) => {
      read.add(variable);
      return generated.includes(variable) ? type.parse('x'.repeat(64)) : undefined;
    },
    { production: false },
  );
  const known = [...secrets, ...generated];
  return {
    secrets: secrets.filter((name) => !generated.includes(name)),
    generated: [...generated],
    others: [...read].filter((name) => !known.includes(name)),
  };
}
