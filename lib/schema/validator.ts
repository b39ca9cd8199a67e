import { Validators } from 'moleculer';

/** The validator of every broker, so that contracts mean the same everywhere. */
export function contractValidator() {
  return new Validators.Fastest({
    useNewCustomCheckerFunction: true,
    // A null in a request is a value, and one that no field takes: absent means absent, null is refused.
    considerNullAsAValue: true,
  });
}
