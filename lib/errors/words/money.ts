import type { ErrorEntry } from './entry.ts';

/** Cycles, meetings and contributions; wallets and the ledger; approvals. */
export const MONEY_ERRORS = {
  cycle_not_supported: {
    status: 409,
    en: { title: 'Cycle not supported', detail: 'Associations of this type have no such cycles.' },
    fr: { title: 'Cycle non prévu', detail: 'Les associations de ce type n’ont pas de tels cycles.' },
  },
  hands_not_divisible: {
    status: 409,
    en: {
      title: 'Hands not divisible',
      detail: 'The total of hands must be a multiple of the beneficiaries per meeting.',
    },
    fr: {
      title: 'Parts non divisibles',
      detail: 'Le total des parts doit être un multiple du nombre de bénéficiaires par réunion.',
    },
  },
  not_enough_members: {
    status: 409,
    en: { title: 'Not enough members', detail: 'A cycle needs at least two hands.' },
    fr: { title: 'Membres trop peu nombreux', detail: 'Un cycle exige au moins deux parts.' },
  },
  meeting_in_cycle: {
    status: 409,
    en: { title: 'Meeting in a cycle', detail: 'Rounds of a cycle cannot be cancelled.' },
    fr: { title: 'Réunion d’un cycle', detail: 'Les tours d’un cycle ne peuvent pas être annulés.' },
  },
  settlement_changed: {
    status: 409,
    en: {
      title: 'Settlement changed',
      detail: 'The settlement is no longer the one whose `preview_hash` you sent. Look at it again.',
    },
    fr: {
      title: 'Règlement modifié',
      detail: 'Le règlement n’est plus celui dont vous avez envoyé `preview_hash`. Veuillez le consulter à nouveau.',
    },
  },
  meeting_not_open: {
    status: 409,
    en: { title: 'Meeting not open', detail: 'The meeting is settling, settled or cancelled.' },
    fr: { title: 'Réunion non ouverte', detail: 'La réunion est réglée, annulée ou en cours de règlement.' },
  },
  contribution_exceeds_due: {
    status: 409,
    en: {
      title: 'Contribution exceeds the due',
      detail: 'At most `outstanding` is due from this member for this meeting.',
    },
    fr: {
      title: 'Cotisation supérieure à la somme due',
      detail: 'Ce membre doit au plus `outstanding` pour cette réunion.',
    },
  },
  earlier_round_open: {
    status: 409,
    en: { title: 'Earlier round open', detail: 'Rounds settle in order; settle the earlier ones first.' },
    fr: {
      title: 'Tour précédent ouvert',
      detail: 'Les tours se règlent dans l’ordre. Veuillez d’abord régler les précédents.',
    },
  },
  contributions_in_flight: {
    status: 409,
    en: {
      title: 'Contributions in flight',
      detail: 'Some contributions to this meeting are not decided yet. Try again shortly.',
    },
    fr: {
      title: 'Cotisations en cours',
      detail: 'Certaines cotisations de cette réunion sont encore en traitement. Veuillez réessayer dans un instant.',
    },
  },
  meeting_not_due: {
    status: 409,
    en: { title: 'Meeting not due', detail: 'Before its day a round settles only when all is paid.' },
    fr: {
      title: 'Réunion non échue',
      detail: 'Avant son échéance, un tour ne se règle que si toutes les sommes dues sont payées.',
    },
  },
  meeting_underfunded: {
    status: 409,
    en: { title: 'Meeting underfunded', detail: 'Not every due is paid; `missing` names who owes how much.' },
    fr: {
      title: 'Cotisations incomplètes',
      detail: 'Toutes les sommes dues ne sont pas payées. `missing` indique qui doit combien.',
    },
  },

  // Wallets and the ledger
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
    en: { title: 'Insufficient funds', detail: 'The account does not hold that much.' },
    fr: { title: 'Provision insuffisante', detail: 'Le solde du compte ne couvre pas ce montant.' },
  },
  balance_limit_exceeded: {
    status: 409,
    en: { title: 'Balance limit exceeded', detail: 'The account would hold more than the ledger carries.' },
    fr: { title: 'Plafond du compte dépassé', detail: 'Le solde du compte dépasserait le maximum admis.' },
  },
  reference_reused: {
    status: 409,
    en: { title: 'Reference reused', detail: 'This reference was used for another amount.' },
    fr: { title: 'Référence déjà utilisée', detail: 'Cette référence a déjà servi pour un autre montant.' },
  },
  transfer_conflict: {
    status: 409,
    en: { title: 'Transfer conflict', detail: 'This transfer id was used for another content.' },
    fr: { title: 'Virement contradictoire', detail: 'Cet identifiant de virement a déjà servi à un autre contenu.' },
  },

  // Approvals
  no_eligible_approver: {
    status: 409,
    en: {
      title: 'No eligible approver',
      detail:
        'Nobody else on the board may decide this request: neither who asks nor whom it concerns or benefits has a vote.',
    },
    fr: {
      title: 'Aucun approbateur habilité',
      detail:
        'Aucun autre membre du bureau ne peut statuer sur cette demande\u00a0: ni son auteur ni la personne qu’elle concerne ou ' +
        'dont elle sert l’intérêt ne votent.',
    },
  },
  own_request: {
    status: 403,
    en: { title: 'Own request', detail: 'Whoever made a request cannot vote on it.' },
    fr: { title: 'Demande personnelle', detail: 'L’auteur d’une demande ne peut pas voter à son sujet.' },
  },
  beneficiary_cannot_approve: {
    status: 403,
    en: { title: 'Beneficiary cannot vote', detail: 'Whoever a request benefits or concerns cannot vote on it.' },
    fr: {
      title: 'Vote du bénéficiaire exclu',
      detail: 'Le bénéficiaire d’une demande, ou la personne qu’elle concerne, ne peut pas voter à son sujet.',
    },
  },
  already_voted: {
    status: 409,
    en: { title: 'Already voted', detail: 'You have voted on this request.' },
    fr: { title: 'Vote déjà exprimé', detail: 'Vous avez déjà voté sur cette demande.' },
  },
  approval_not_pending: {
    status: 409,
    en: { title: 'Approval not pending', detail: 'The request is decided already.' },
    fr: { title: 'Demande déjà tranchée', detail: 'Cette demande a déjà fait l’objet d’une décision.' },
  },
  approval_changed: {
    status: 409,
    en: { title: 'Approval changed', detail: 'The payload is not the one whose hash you sent.' },
    fr: { title: 'Demande modifiée', detail: 'Le contenu n’est pas celui dont vous avez envoyé l’empreinte.' },
  },
  not_requester: {
    status: 403,
    en: { title: 'Not the requester', detail: 'Only whoever made a request may cancel it.' },
    fr: { title: 'Réservé au demandeur', detail: 'Seul l’auteur d’une demande peut l’annuler.' },
  },
} as const satisfies Record<string, ErrorEntry>;
