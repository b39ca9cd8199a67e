import { Validators } from 'moleculer';

interface Finding {
  actual?: unknown;
  message?: unknown;
}

/**
 * fastest-validator as every broker uses it. What it finds does not carry what was sent: Moleculer logs findings at
 * `debug`, and a PIN in the wrong field or of the wrong type is still a PIN.
 */
class ContractValidator extends Validators.Fastest {
  constructor() {
    super({
      useNewCustomCheckerFunction: true,
      // A null in a request is a value, and one that no field takes: absent means absent, null is refused.
      considerNullAsAValue: true,
    });
  }

  override compile(schema: Record<string, unknown>) {
    const check = super.compile(schema) as (value: unknown, options?: unknown) => true | Finding[];
    const discreet = (value: unknown, options?: unknown) => {
      const result = check(value, options);
      if (result === true) return true;
      for (const finding of result) {
        delete finding.actual;
        delete finding.message;
      }
      return result;
    };
    return discreet as ReturnType<Validators.Fastest['compile']>;
  }
}

/** The validator of every broker, so that contracts mean the same everywhere. */
export function contractValidator() {
  return new ContractValidator();
}
