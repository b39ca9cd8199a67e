/**
 * The names of ledger accounts (contract, section 5), as transfers carry them. Treasury owns the accounts; every other
 * service builds and reads their names here.
 *
 *     e-money: wallet:<wallet_id>  pool:<meeting_id>       treasury       reserved       funding
 *     cash:                        cash_pool:<meeting_id>  cash_treasury  cash_reserved  cash_funding
 */

/** E-money and cash are two monies: every transfer sums to zero in each. */
export const MONIES = ['emoney', 'cash'] as const;
export type Money = (typeof MONIES)[number];

/**
 * `pool`: what was paid for a meeting that is not settled. `treasury`: what the association holds. `reserved`: set aside
 * for distributions that are not decided. `funding`: the outside world, from which money comes and to which it goes.
 */
export type AccountKind = 'wallet' | 'pool' | 'treasury' | 'reserved' | 'funding';

export type Account =
  | { kind: 'wallet'; money: 'emoney'; wallet_id: string }
  | { kind: 'pool'; money: Money; meeting_id: string }
  | { kind: 'treasury' | 'reserved' | 'funding'; money: Money };

const PREFIX: Record<Money, string> = { emoney: '', cash: 'cash_' };

/** How the names of all wallet accounts begin; for SQL. */
export const WALLET_PREFIX = 'wallet:';

export const walletAccount = (wallet_id: string): string => WALLET_PREFIX + wallet_id;
export const poolAccount = (meeting_id: string, money: Money = 'emoney'): string =>
  `${PREFIX[money]}pool:${meeting_id}`;
export const treasuryAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}treasury`;
export const reservedAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}reserved`;
export const fundingAccount = (money: Money = 'emoney'): string => `${PREFIX[money]}funding`;

/** The name of an account. */
export function accountName(account: Account): string {
  if (account.kind === 'wallet') return walletAccount(account.wallet_id);
  if (account.kind === 'pool') return poolAccount(account.meeting_id, account.money);
  return PREFIX[account.money] + account.kind;
}

const NAME =
  /^(?:wallet:(?<wallet_id>.+)|(?<cash>cash_)?(?:pool:(?<meeting_id>.+)|(?<kind>treasury|reserved|funding)))$/s;

/** The account of a name; null for a name of another form. Whether the ids in it exist is for their services to say. */
export function parseAccount(name: string): Account | null {
  const { wallet_id, cash, meeting_id, kind } = NAME.exec(name)?.groups ?? {};
  const money = cash === undefined ? 'emoney' : 'cash';
  if (wallet_id !== undefined) return { kind: 'wallet', money: 'emoney', wallet_id };
  if (meeting_id !== undefined) return { kind: 'pool', money, meeting_id };
  return kind === undefined ? null : { kind: kind as 'treasury' | 'reserved' | 'funding', money };
}

/** Whether a name is that of a wallet, without parsing it. */
export const isWalletAccount = (name: string): boolean => name.startsWith(WALLET_PREFIX);

/** The money that the account of a well-formed name holds, without parsing it. */
export const moneyOf = (name: string): Money => (name.startsWith(PREFIX.cash) ? 'cash' : 'emoney');
