/**
 * The names of ledger accounts (contract, section 5), as transfers carry them. Treasury owns the accounts; every other
 * service builds and reads their names here.
 *
 *     e-money: wallet:<wallet_id>  pool:<meeting_id>       treasury       reserved       funding
 *     cash:                        cash_pool:<meeting_id>  cash_treasury  cash_reserved  cash_funding
 *
 * `pool`: what was paid for a meeting that is not settled. `treasury`: what the association holds. `reserved`: set aside
 * for distributions that are not decided. `funding`: the outside world, from which money comes and to which it goes.
 */

/** E-money and cash are two monies: every transfer sums to zero in each. */
export type Money = 'emoney' | 'cash';

const PREFIX: Record<Money, string> = { emoney: '', cash: 'cash_' };

/** How the names of all wallet accounts begin; for SQL. */
export const WALLET_PREFIX = 'wallet:';

export const walletAccount = (wallet_id: string): string => WALLET_PREFIX + wallet_id;
export const poolAccount = (meeting_id: string, money: Money = 'emoney'): string =>
  `${PREFIX[money]}pool:${meeting_id}`;
export const treasuryAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}treasury`;
export const reservedAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}reserved`;
export const fundingAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}funding`;

export const isWalletAccount = (name: string): boolean => name.startsWith(WALLET_PREFIX);

/** The money that the account of a well-formed name holds. */
export const moneyOf = (name: string): Money => (name.startsWith(PREFIX.cash) ? 'cash' : 'emoney');

/** The meeting of a pool's account; undefined for another account. Whether there is such a meeting is not known here. */
export function meetingOfPool(name: string): string | undefined {
  return /^(?:cash_)?pool:(.+)$/s.exec(name)?.[1];
}
