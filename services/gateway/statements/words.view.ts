import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { TransferKind } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';

type Kinds = Record<TransferKind, string | { in: string; out: string }>;

/** All texts of a statement except names, dates and amounts. */
export type StatementWords = typeof EN;

const EN = {
  /** The first part of the file name, in lower-case ASCII. */
  file: 'statement',
  title: 'Statement of account',
  member: 'Member',
  memberId: 'Member ID',
  period: 'Period',
  /** The period. Both ends are formatted days; `from` is undefined for "from the beginning". */
  span: (from: string | undefined, to: string) =>
    from === undefined ? `From the beginning to ${to}` : `${from} to ${to}`,
  made: 'Made on',
  date: 'Date',
  number: 'No.',
  currency: 'Currency',
  movement: 'Movement',
  round: 'Round',
  meetingDay: 'Meeting day',
  meetingTitle: 'Meeting title',
  meeting: 'Meeting',
  reference: 'Reference',
  method: 'Method',
  paidIn: 'Paid in',
  paidOut: 'Paid out',
  balance: 'Balance',
  transfer: 'Transfer',
  hash: 'Hash',
  opening: 'Opening balance',
  closing: 'Closing balance',
  owes: 'Owes in arrears',
  isOwed: 'Is owed in arrears',
  /**
   * A line about the arrears of one round. Amounts include the currency, or are undefined; `meeting` is the formatted
   * round.
   */
  arrears: (owes: string | undefined, isOwed: string | undefined, meeting: string) =>
    [owes && `Owes ${owes}`, isOwed && `Is owed ${isOwed}`].filter(Boolean).join('; ') + `: ${meeting}`,
  moreArrears: (rounds: number) => `more rounds: ${String(rounds)}`,
  /** The number of fines that are due, and their sum with the currency. */
  fines: (count: number, sum: string) => `Owes ${sum} in fines (${String(count)}):`,
  /** A line about one fine: what is left to pay with the currency, its formatted day, and the name of its rule. */
  fine: (outstanding: string, day: string, code: string) => `${outstanding}, ${day}, ${code}`,
  /**
   * A meeting with its formatted day. The title comes last: a right-to-left title at the start would reverse the line.
   */
  meetingName: ({ round, title }: MeetingReference, day: string) =>
    `${round === null ? 'Meeting' : `Round ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  noMovements: 'There are no movements in this period.',
  amountsIn: (currency: string, zone: string) => `All amounts in ${currency}. Days and times in ${zone}.`,
  whatBalanceMeans:
    'The balance is the sum that the member paid in less the sum that was paid out to them. Below zero, more was ' +
    'paid out. Arrears are what was still owed from settled rounds at the time of this statement.',
  page: (number: number, of: number) => `Page ${String(number)} of ${String(of)}`,
  verifyTitle: 'How to verify this statement',
  /** The instructions for verifying the statement. */
  verify: (seq: number) =>
    `Export the ledger of the association and run “node verify-ledger.mjs ledger.ndjson” on it, a stand-alone script in ` +
    `the project’s “examples” folder that recomputes every hash. Transfer no. ${String(seq)} of the export must have ` +
    `the hash below; then nothing before it was changed or left out. Compare each movement above with the transfer of ` +
    `the same number.`,
  /** Replaces the instructions while the ledger has no transfers. */
  emptyLedger: 'The ledger of the association holds no transfers yet.',
  methods: { wallet: 'Wallet', cash: 'Cash' },
  /** The name of a movement. There are two names if a member can both pay and receive it. */
  kinds: {
    wallet_deposit: 'Deposit to the wallet',
    wallet_withdrawal: 'Withdrawal from the wallet',
    contribution: 'Contribution',
    arrears_payment: { in: 'Arrears paid', out: 'Arrears received' },
    cash_contribution: 'Cash contribution',
    settlement: 'Payout of a meeting',
    meeting_refund: 'Refund of a cancelled meeting',
    cash_deposit: 'Cash handed in',
    distribution_reserve: 'Funds reserved',
    distribution_payment: 'Distribution',
    distribution_release: 'Reserve released',
    fine_payment: 'Fine paid',
    meeting_sheet: 'Paid in cash at a meeting',
    reversal: 'Reversal',
  } satisfies Kinds as Kinds,
};

const FR: StatementWords = {
  file: 'releve',
  title: 'Relevé de compte',
  member: 'Membre',
  memberId: 'Identifiant du membre',
  period: 'Période',
  span: (from, to) => (from === undefined ? `Du début au ${to}` : `Du ${from} au ${to}`),
  made: 'Établi le',
  date: 'Date',
  number: 'N°',
  currency: 'Devise',
  movement: 'Opération',
  round: 'Tour',
  meetingDay: 'Jour de la réunion',
  meetingTitle: 'Titre de la réunion',
  meeting: 'Réunion',
  reference: 'Référence',
  method: 'Moyen',
  paidIn: 'Versé',
  paidOut: 'Reçu',
  balance: 'Solde',
  transfer: 'Transfert',
  hash: 'Empreinte',
  opening: 'Solde d’ouverture',
  closing: 'Solde de clôture',
  owes: 'Doit en arriérés',
  isOwed: 'Arriérés à recevoir',
  arrears: (owes, isOwed, meeting) =>
    [owes && `Doit ${owes}`, isOwed && `Doit recevoir ${isOwed}`].filter(Boolean).join('; ') + `\u00a0: ${meeting}`,
  moreArrears: (rounds) => `autres tours\u00a0: ${String(rounds)}`,
  fines: (count, sum) => `Doit ${sum} en amendes (${String(count)})\u00a0:`,
  fine: (outstanding, day, code) => `${outstanding}, ${day}, ${code}`,
  meetingName: ({ round, title }, day) =>
    `${round === null ? 'Réunion' : `Tour ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  noMovements: 'Aucune opération sur cette période.',
  amountsIn: (currency, zone) => `Montants en ${currency}. Jours et heures au fuseau ${zone}.`,
  whatBalanceMeans:
    'Le solde est ce que le membre a versé moins ce qu’il a reçu ; au-dessous de zéro, il a reçu davantage. ' +
    'Les arriérés sont ce qui reste dû de tours réglés quand le relevé est établi.',
  page: (number, of) => `Page ${String(number)} sur ${String(of)}`,
  verifyTitle: 'Comment vérifier ce relevé',
  verify: (seq) =>
    `Exportez le grand livre de l’association et lancez «\u00a0node verify-ledger.mjs ledger.ndjson\u00a0», script autonome du ` +
    `dossier «\u00a0examples\u00a0» du projet, qui recalcule toutes les empreintes. Le transfert n°\u00a0${String(seq)} de l’export doit ` +
    `porter l’empreinte ci-dessous\u00a0: alors rien avant lui n’a été modifié ni omis. Comparez chaque opération ci-dessus au ` +
    `transfert de même numéro.`,
  emptyLedger: 'Le grand livre de l’association ne contient encore aucun transfert.',
  methods: { wallet: 'Portefeuille', cash: 'Espèces' },
  kinds: {
    wallet_deposit: 'Dépôt sur le portefeuille',
    wallet_withdrawal: 'Retrait du portefeuille',
    contribution: 'Cotisation',
    arrears_payment: { in: 'Arriérés payés', out: 'Arriérés reçus' },
    cash_contribution: 'Cotisation en espèces',
    settlement: 'Versement d’une réunion',
    meeting_refund: 'Remboursement d’une réunion annulée',
    cash_deposit: 'Remise d’espèces',
    distribution_reserve: 'Fonds réservés',
    distribution_payment: 'Aide versée',
    distribution_release: 'Réserve libérée',
    fine_payment: 'Amende payée',
    meeting_sheet: 'Payé en espèces à une réunion',
    reversal: 'Annulation',
  },
};

export const STATEMENT_WORDS: Record<Language, StatementWords> = { en: EN, fr: FR };

/**
 * Returns the name of a movement.
 * @param amount above zero if the member paid it in
 */
export function kindInWords(words: StatementWords, kind: TransferKind, amount: number): string {
  const name = words.kinds[kind];
  if (typeof name === 'string') return name;
  return amount < 0 ? name.out : name.in;
}
