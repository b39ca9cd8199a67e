/** Without minor digits, so that an amount is the same number in both units. */
export const CURRENCY = 'XAF';

/** What each contribution moves: the least, so that no wallet runs empty. */
export const AMOUNT_MINOR = 1;
