import currencyCodes from 'currency-codes';

/** Codes without a minor unit in ISO 4217 ("N.A."): metals, bond units, tests. The data package gives them 0 digits. */
const WITHOUT_MINOR_UNIT = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** Codes newer than the data package, with their minor digits. */
const AMENDMENTS: Record<string, number> = { XCG: 2 };

const MINOR_DIGITS: ReadonlyMap<string, number> = new Map([
  ...currencyCodes.codes().flatMap((code): [string, number][] => {
    const record = currencyCodes.code(code);
    return record === undefined || WITHOUT_MINOR_UNIT.has(code) ? [] : [[code, record.digits]];
  }),
  ...Object.entries(AMENDMENTS),
]);

/** Whether the ISO 4217 code (upper case) exists and has a minor unit. */
export function isCurrency(code: string): boolean {
  return MINOR_DIGITS.has(code);
}

/**
 * Returns the number of decimals of the currency's minor unit (XAF 0, EUR 2, TND 3).
 * @throws RangeError for a code that isCurrency() refuses; contracts check codes first
 */
export function minorDigits(code: string): number {
  const digits = MINOR_DIGITS.get(code);
  if (digits === undefined) throw new RangeError(`${code} is not a currency with minor units`);
  return digits;
}
