import { errorTable } from './entry.ts';

/** Wallets and the ledger. */
export const LEDGER_ERRORS = errorTable({
  wallet_currency_mismatch: {
    status: 422,
    en: { title: 'Wallet in another currency', detail: "The wallet is not in the association's currency." },
    fr: {
      title: 'Portefeuille dans une autre devise',
      detail: 'Le portefeuille n’est pas tenu dans la devise de l’association.',
    },
  },
  insufficient_funds: {
    status: 409,
    en: { title: 'Insufficient funds', detail: 'The balance of the account is too low for this amount.' },
    fr: { title: 'Provision insuffisante', detail: 'Le solde du compte ne couvre pas ce montant.' },
  },
  balance_limit_exceeded: {
    status: 409,
    en: { title: 'Balance limit exceeded', detail: 'The account would hold more than the ledger supports.' },
    fr: { title: 'Plafond du compte dépassé', detail: 'Le solde du compte dépasserait le maximum admis.' },
  },
  not_reversible: {
    status: 409,
    en: { title: 'Not reversible', detail: 'Transfers of this kind cannot be reversed.' },
    fr: { title: 'Virement non annulable', detail: 'Les virements de cette nature ne peuvent pas être annulés.' },
  },
  already_reversed: {
    status: 409,
    en: { title: 'Already reversed', detail: 'The transfer is reversed, or a correction of it is not decided yet.' },
    fr: {
      title: 'Virement déjà annulé',
      detail: 'Ce virement est annulé, ou une demande de correction à son sujet est en attente.',
    },
  },
  reference_reused: {
    status: 409,
    en: { title: 'Reference reused', detail: 'This reference was already used for a different amount.' },
    fr: { title: 'Référence déjà utilisée', detail: 'Cette référence a déjà servi pour un autre montant.' },
  },
  transfer_conflict: {
    status: 409,
    en: { title: 'Transfer conflict', detail: 'This transfer id was already used for a different transfer.' },
    fr: { title: 'Virement contradictoire', detail: 'Cet identifiant de virement a déjà servi à un autre contenu.' },
  },
});
