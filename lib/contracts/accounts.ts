/**
 * The names of ledger accounts, as transfers contain them (docs/ledger.md). Treasury owns the accounts; every other
 * service builds and reads their names here.
 *
 *     e-money: wallet:<wallet_id>  pool:<meeting_id>       treasury       reserved       funding
 *     cash:                        cash_pool:<meeting_id>  cash_treasury  cash_reserved  cash_funding
 *
 * `pool`: money paid for a meeting that is not settled. `treasury`: money of the association. `reserved`: money for
 * distributions that are not decided. `funding`: the outside world, which money comes from and goes to.
 */

/** E-money and cash are kept separate: the legs of every transfer sum to zero in each. */
export type Money = 'emoney' | 'cash';

const PREFIX: Record<Money, string> = { emoney: '', cash: 'cash_' };

/** The prefix of the names of all wallet accounts. SQL uses it too. */
export const WALLET_PREFIX = 'wallet:';

export const walletAccount = (wallet_id: string): string => WALLET_PREFIX + wallet_id;
export const poolAccount = (meeting_id: string, money: Money = 'emoney'): string =>
  `${PREFIX[money]}pool:${meeting_id}`;
export const treasuryAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}treasury`;
export const reservedAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}reserved`;
export const fundingAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}funding`;

export const isWalletAccount = (name: string): boolean => name.startsWith(WALLET_PREFIX);

/** Returns whether an account holds e-money or cash, by its well-formed name. */
export const moneyOf = (name: string): Money => (name.startsWith(PREFIX.cash) ? 'cash' : 'emoney');

/** Returns the meeting of a pool account, or undefined for another account. Does not check that the meeting exists. */
export function meetingOfPool(name: string): string | undefined {
  return /^(?:cash_)?pool:(.+)$/s.exec(name)?.[1];
}
