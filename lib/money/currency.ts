import currencyCodes from 'currency-codes';

/**
 * Codes to which ISO 4217 gives no minor unit ("N.A."): metals, bond units, testing, none. The data package writes 0
 * for them, which would make gold look like a currency without cents.
 */
const WITHOUT_MINOR_UNIT = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** Codes that ISO 4217 took in after the data package's last publication, with their minor digits. */
const AMENDMENTS: Record<string, number> = { XCG: 2 };

const MINOR_DIGITS: ReadonlyMap<string, number> = new Map([
  ...currencyCodes.codes().flatMap((code): [string, number][] => {
    const record = currencyCodes.code(code);
    return record === undefined || WITHOUT_MINOR_UNIT.has(code) ? [] : [[code, record.digits]];
  }),
  ...Object.entries(AMENDMENTS),
]);

/** Whether money can be kept in this ISO 4217 code (upper case): it exists and has a minor unit. */
export function isCurrency(code: string): boolean {
  return MINOR_DIGITS.has(code);
}

/**
 * The number of decimals of the currency's minor unit (XAF 0, EUR 2, TND 3).
 * @throws RangeError for a code that isCurrency() refuses: a mistake of ours, since contracts check codes on entry.
 */
export function minorDigits(code: string): number {
  const digits = MINOR_DIGITS.get(code);
  if (digits === undefined) throw new RangeError(`${code} is not a currency with minor units`);
  return digits;
}
