/** The public actions of the service that stores the ledger, wallets, the cash box and distributions. */
export { cashLedger, getCashContribution, listCashContributions } from '../../../../lib/contracts/treasury/cash.ts';
export { getCorrection, listCorrections } from '../../../../lib/contracts/treasury/corrections.ts';
export { getDistribution, listDistributions } from '../../../../lib/contracts/treasury/distributions.ts';
export { balances, ledger, ledgerExport, ledgerHead } from '../../../../lib/contracts/treasury/ledger.ts';
export { statement } from '../../../../lib/contracts/treasury/statements.ts';
export {
  getWallet,
  getWalletTransfer,
  listWalletTransfers,
  myWallets,
} from '../../../../lib/contracts/treasury/wallets.ts';
