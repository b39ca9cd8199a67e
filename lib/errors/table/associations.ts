import { errorTable } from './entry.ts';

/** Associations and their members; cycles, meetings and contributions. */
export const ASSOCIATION_ERRORS = errorTable({
  association_closed: {
    status: 409,
    en: { title: 'Association closed', detail: 'A closed association accepts no changes.' },
    fr: { title: 'Association fermée', detail: 'Une association fermée n’admet plus aucune modification.' },
  },
  association_full: {
    status: 409,
    en: { title: 'Association full', detail: 'The association already has its maximum number of members.' },
    fr: { title: 'Association complète', detail: 'L’association compte déjà autant de membres qu’elle en admet.' },
  },
  already_member: {
    status: 409,
    en: { title: 'Already a member', detail: 'You are an active member of this association.' },
    fr: { title: 'Déjà membre', detail: 'Vous êtes membre actif de cette association.' },
  },
  association_not_empty: {
    status: 409,
    en: {
      title: 'Association not empty',
      detail:
        'An account is not at zero, a cycle or meeting is open, arrears or fines are due, or another approval is pending.',
    },
    fr: {
      title: 'Association non soldée',
      detail:
        'Un compte n’est pas à zéro, un cycle ou une réunion est ouvert, des arriérés ou des amendes sont dus ou une ' +
        'autre approbation est en attente.',
    },
  },
  cycle_in_progress: {
    status: 409,
    en: { title: 'Cycle in progress', detail: 'Wait until the running cycle has completed.' },
    fr: { title: 'Cycle en cours', detail: 'Veuillez attendre la fin du cycle en cours.' },
  },
  member_has_obligations: {
    status: 409,
    en: {
      title: 'Member has obligations',
      detail:
        'The member is in a running cycle, owes arrears or fines, has paid on a meeting sheet that is not decided, or has ' +
        'a pending cash deposit, distribution or correction.',
    },
    fr: {
      title: 'Membre encore engagé',
      detail:
        'Il reste un cycle en cours, des arriérés ou des amendes, un paiement sur une feuille de réunion non décidée, ou ' +
        'un dépôt d’espèces, une distribution ou une correction en attente.',
    },
  },
  president_cannot_leave: {
    status: 409,
    en: { title: 'President cannot leave', detail: 'Another member must become president first.' },
    fr: { title: 'Départ du président impossible', detail: 'Un autre membre doit d’abord devenir président.' },
  },

  // Cycles, meetings and contributions
  cycle_not_supported: {
    status: 409,
    en: { title: 'Cycle not supported', detail: 'Associations of this type do not support this kind of cycle.' },
    fr: { title: 'Cycle non prévu', detail: 'Les associations de ce type n’ont pas de tels cycles.' },
  },
  hands_not_divisible: {
    status: 409,
    en: {
      title: 'Hands not divisible',
      detail: 'The total number of hands (shares) must be a multiple of the beneficiaries of each meeting.',
    },
    fr: {
      title: 'Parts non divisibles',
      detail: 'Le total des parts doit être un multiple du nombre de bénéficiaires par réunion.',
    },
  },
  not_enough_members: {
    status: 409,
    en: { title: 'Not enough members', detail: 'A cycle needs at least two hands (shares).' },
    fr: { title: 'Membres trop peu nombreux', detail: 'Un cycle exige au moins deux parts.' },
  },
  meeting_in_cycle: {
    status: 409,
    en: { title: 'Meeting in a cycle', detail: 'A round of a cycle cannot be cancelled.' },
    fr: { title: 'Réunion d’un cycle', detail: 'Un tour de cycle ne peut pas être annulé.' },
  },
  settlement_changed: {
    status: 409,
    en: {
      title: 'Settlement changed',
      detail: 'The settlement no longer matches your `preview_hash`. Preview it again.',
    },
    fr: {
      title: 'Règlement modifié',
      detail: 'Le règlement n’est plus celui dont vous avez envoyé `preview_hash`. Veuillez le consulter à nouveau.',
    },
  },
  meeting_not_open: {
    status: 409,
    en: { title: 'Meeting not open', detail: 'The meeting is being settled, or has been settled or cancelled.' },
    fr: { title: 'Réunion non ouverte', detail: 'La réunion est réglée, annulée ou en cours de règlement.' },
  },
  contribution_exceeds_due: {
    status: 409,
    en: { title: 'Contribution exceeds the due', detail: 'For this meeting the member owes at most `outstanding`.' },
    fr: {
      title: 'Cotisation supérieure à la somme due',
      detail: 'Ce membre doit au plus `outstanding` pour cette réunion.',
    },
  },
  fine_not_due: {
    status: 409,
    en: { title: 'Fine not due', detail: 'The fine is paid or waived.' },
    fr: { title: 'Amende non due', detail: 'Cette amende est payée ou remise.' },
  },
  fine_exceeded: {
    status: 409,
    en: { title: 'Amount exceeds the fine', detail: 'At most `outstanding` of the fine is left to pay.' },
    fr: { title: 'Montant supérieur à l’amende', detail: 'Il reste au plus `outstanding` de cette amende à payer.' },
  },
  fine_exists: {
    status: 409,
    en: { title: 'Fine already assessed', detail: 'The member already has a fine of this rule for this meeting.' },
    fr: { title: 'Amende déjà infligée', detail: 'Ce membre a déjà une amende de cette règle pour cette réunion.' },
  },
  attendance_closed: {
    status: 409,
    en: {
      title: 'Attendance closed',
      detail: 'Attendance can be changed until seven days after the settlement, and not for a cancelled meeting.',
    },
    fr: {
      title: 'Présences closes',
      detail: 'Les présences se modifient jusqu’à sept jours après le règlement, et non pour une réunion annulée.',
    },
  },
  sheet_not_draft: {
    status: 409,
    en: {
      title: 'Sheet not a draft',
      detail: 'The sheet is submitted, confirmed or reversed, and can no longer be changed.',
    },
    fr: {
      title: 'Feuille déjà soumise',
      detail: 'Cette feuille est soumise, confirmée ou annulée, et ne peut plus changer.',
    },
  },
  sheet_changed: {
    status: 409,
    en: { title: 'Sheet changed', detail: 'The sheet does not match the `sheet_hash` that you sent. Read it again.' },
    fr: {
      title: 'Feuille modifiée',
      detail: 'La feuille n’est pas celle dont vous avez envoyé `sheet_hash`. Veuillez la relire.',
    },
  },
  sheet_refused: {
    status: 409,
    en: { title: 'Sheet refused', detail: 'Nothing was taken, because of the lines in `errors`.' },
    fr: { title: 'Feuille refusée', detail: 'Rien n’a été retenu, en raison des lignes citées dans `errors`.' },
  },
  form_too_long: {
    status: 409,
    en: { title: 'Too many members to print', detail: 'A sheet is printed for at most 1 000 members.' },
    fr: { title: 'Trop de membres à imprimer', detail: 'Une feuille s’imprime pour 1 000 membres au plus.' },
  },
  earlier_round_open: {
    status: 409,
    en: { title: 'Earlier round open', detail: 'Rounds are settled in order. Settle the earlier rounds first.' },
    fr: {
      title: 'Tour précédent ouvert',
      detail: 'Les tours se règlent dans l’ordre. Veuillez d’abord régler les précédents.',
    },
  },
  contributions_in_flight: {
    status: 409,
    en: {
      title: 'Contributions in flight',
      detail:
        'Contributions to this meeting are still being processed or taken back, or cash or a sheet of it waits for the ' +
        'board. Try again once this is decided.',
    },
    fr: {
      title: 'Cotisations en cours',
      detail:
        'Des cotisations de cette réunion sont encore en traitement ou en cours d’annulation, ou des espèces ou une ' +
        'feuille attendent la décision du bureau. Veuillez réessayer ensuite.',
    },
  },
  too_many_refunds: {
    status: 409,
    en: {
      title: 'Too many refunds',
      detail: 'Too many payments would have to be refunded in one transfer. Settle the meeting instead.',
    },
    fr: {
      title: 'Trop de remboursements',
      detail: 'Trop de paiements seraient à rembourser en un seul transfert. Veuillez plutôt régler la réunion.',
    },
  },
  meeting_not_due: {
    status: 409,
    en: { title: 'Meeting not due', detail: 'Before its day a round can be settled only if every due is paid.' },
    fr: {
      title: 'Réunion non échue',
      detail: 'Avant son échéance, un tour ne se règle que si toutes les sommes dues sont payées.',
    },
  },
  meeting_underfunded: {
    status: 409,
    en: { title: 'Meeting underfunded', detail: 'Some dues are not paid: see `missing`.' },
    fr: {
      title: 'Cotisations incomplètes',
      detail: 'Toutes les sommes dues ne sont pas payées\u00a0: voir `missing`.',
    },
  },
});
