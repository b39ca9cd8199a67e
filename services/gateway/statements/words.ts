import type { MeetingReference } from '../../../lib/contracts/ids.ts';
import type { TransferKind } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';

/** All that a statement says beside names, dates and amounts. */
export interface StatementWords {
  /** The first part of the file's name: ASCII, lower case. */
  file: string;
  title: string;
  member: string;
  memberId: string;
  period: string;
  /** The period in words; each end is a day as text, or undefined for "from the beginning". */
  span: (from: string | undefined, to: string) => string;
  made: string;
  date: string;
  number: string;
  currency: string;
  movement: string;
  round: string;
  meetingDay: string;
  meetingTitle: string;
  meeting: string;
  reference: string;
  method: string;
  paidIn: string;
  paidOut: string;
  balance: string;
  transfer: string;
  hash: string;
  opening: string;
  closing: string;
  owes: string;
  isOwed: string;
  /** A line about the arrears of one round: an amount with its currency, or undefined, and the round in words. */
  arrears: (owes: string | undefined, isOwed: string | undefined, meeting: string) => string;
  moreArrears: (rounds: number) => string;
  /**
   * A meeting in a few words, with its day as text. A title comes last: one of right-to-left script at the beginning would
   * turn the whole line.
   */
  meetingName: (meeting: MeetingReference, day: string) => string;
  noMovements: string;
  amountsIn: (currency: string) => string;
  whatBalanceMeans: string;
  page: (number: number, of: number) => string;
  verifyTitle: string;
  /** How to verify the statement, for whoever holds it. */
  verify: (seq: number) => string;
  /** The same where the ledger has no transfers. */
  emptyLedger: string;
  methods: { wallet: string; cash: string };
  /** What a movement is called that the member paid in, and one that he was paid. */
  kinds: Record<TransferKind, string | { in: string; out: string }>;
}

const EN: StatementWords = {
  file: 'statement',
  title: 'Statement of account',
  member: 'Member',
  memberId: 'Member ID',
  period: 'Period',
  span: (from, to) => (from === undefined ? `From the beginning to ${to}` : `${from} to ${to}`),
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
  arrears: (owes, isOwed, meeting) =>
    [owes && `Owes ${owes}`, isOwed && `Is owed ${isOwed}`].filter(Boolean).join('; ') + `: ${meeting}`,
  moreArrears: (rounds) => `more rounds: ${String(rounds)}`,
  meetingName: ({ round, title }, day) =>
    `${round === null ? 'Meeting' : `Round ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  noMovements: 'There are no movements in this period.',
  amountsIn: (currency) => `All amounts in ${currency}. Days and times in UTC.`,
  whatBalanceMeans:
    'The balance is what the member has paid in less what was paid out to the member; below zero, more was paid out. ' +
    'Arrears are what is still owed from settled rounds when the statement is made.',
  page: (number, of) => `Page ${String(number)} of ${String(of)}`,
  verifyTitle: 'How to verify this statement',
  verify: (seq) =>
    `Export the ledger of the association and run “node verify-ledger.mjs ledger.ndjson” on it, a stand-alone script of ` +
    `the project’s “examples” folder: it recomputes every hash. Transfer no. ${String(seq)} of the export must bear the ` +
    `hash below: then nothing before it was changed or left out. Compare each movement above with the transfer of its ` +
    `number.`,
  emptyLedger: 'The ledger of the association holds no transfers yet.',
  methods: { wallet: 'Wallet', cash: 'Cash' },
  kinds: {
    wallet_deposit: 'Deposit to the wallet',
    wallet_withdrawal: 'Withdrawal from the wallet',
    contribution: 'Contribution',
    arrears_payment: { in: 'Arrears paid', out: 'Arrears received' },
    cash_contribution: 'Cash contribution',
    settlement: { in: 'Taken back at settlement', out: 'Payout of a meeting' },
    meeting_refund: 'Refund of a cancelled meeting',
    cash_deposit: 'Cash handed in',
    distribution_reserve: 'Funds reserved',
    distribution_payment: 'Distribution',
    distribution_release: 'Reserve released',
  },
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
  meetingName: ({ round, title }, day) =>
    `${round === null ? 'Réunion' : `Tour ${String(round)}`}, ${day}${title === null ? '' : `, ${title}`}`,
  noMovements: 'Aucune opération sur cette période.',
  amountsIn: (currency) => `Montants en ${currency}. Jours et heures en temps universel (UTC).`,
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
    settlement: { in: 'Reprise au règlement', out: 'Versement d’une réunion' },
    meeting_refund: 'Remboursement d’une réunion annulée',
    cash_deposit: 'Remise d’espèces',
    distribution_reserve: 'Fonds réservés',
    distribution_payment: 'Aide versée',
    distribution_release: 'Réserve libérée',
  },
};

export const STATEMENT_WORDS: Record<Language, StatementWords> = { en: EN, fr: FR };

/** What a movement is called. @param amount above zero what the member paid in */
export function kindInWords(words: StatementWords, kind: TransferKind, amount: number): string {
  const name = words.kinds[kind];
  if (typeof name === 'string') return name;
  return amount < 0 ? name.out : name.in;
}
