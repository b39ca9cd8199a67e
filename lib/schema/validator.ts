import { Validators } from 'moleculer';

interface Finding {
  actual?: unknown;
  message?: unknown;
}

/**
 * fastest-validator for every broker. Its findings do not contain the values that were sent: Moleculer logs findings at
 * `debug`, and a PIN in a wrong field is still a PIN.
 */
class ContractValidator extends Validators.Fastest {
  constructor() {
    super({
      useNewCustomCheckerFunction: true,
      // Null is a value that no field of a request accepts. An optional field is omitted instead.
      considerNullAsAValue: true,
    });
  }

  override compile(schema: Record<string, unknown>) {
    const check = super.compile(schema) as (value: unknown, options?: unknown) => true | Finding[];
    const withoutValues = (value: unknown, options?: unknown) => {
      const result = check(value, options);
      if (result === true) return true;
      for (const finding of result) {
        delete finding.actual;
        delete finding.message;
      }
      return result;
    };
    return withoutValues as ReturnType<Validators.Fastest['compile']>;
  }
}

/** Builds the validator that every broker uses. */
export function contractValidator() {
  return new ContractValidator();
}
