import { errorTable } from './entry.ts';

export const APPROVAL_ERRORS = errorTable({
  no_eligible_approver: {
    status: 409,
    en: {
      title: 'No eligible approver',
      detail: 'No board member may vote: the requester and the member it concerns or benefits are excluded.',
    },
    fr: {
      title: 'Aucun approbateur habilité',
      detail:
        'Aucun autre membre du bureau ne peut voter\u00a0: ni l’auteur de la demande ni la personne qu’elle concerne ou ' +
        'dont elle sert l’intérêt ne votent.',
    },
  },
  own_request: {
    status: 403,
    en: { title: 'Own request', detail: 'You cannot vote on your own request, or fine yourself.' },
    fr: {
      title: 'Demande personnelle',
      detail: 'L’auteur d’une demande ne peut pas voter à son sujet, et personne ne s’inflige d’amende.',
    },
  },
  beneficiary_cannot_approve: {
    status: 403,
    en: { title: 'Beneficiary cannot vote', detail: 'You cannot vote on a request that concerns or benefits you.' },
    fr: {
      title: 'Vote du bénéficiaire exclu',
      detail: 'Le bénéficiaire d’une demande, ou la personne qu’elle concerne, ne peut pas voter à son sujet.',
    },
  },
  already_voted: {
    status: 409,
    en: { title: 'Already voted', detail: 'You have already voted on this request.' },
    fr: { title: 'Vote déjà exprimé', detail: 'Vous avez déjà voté sur cette demande.' },
  },
  approval_not_pending: {
    status: 409,
    en: { title: 'Approval not pending', detail: 'The request is already decided.' },
    fr: { title: 'Demande déjà tranchée', detail: 'Cette demande a déjà fait l’objet d’une décision.' },
  },
  approval_changed: {
    status: 409,
    en: { title: 'Approval changed', detail: 'The payload does not match the hash that you sent.' },
    fr: { title: 'Demande modifiée', detail: 'Le contenu n’est pas celui dont vous avez envoyé l’empreinte.' },
  },
  not_requester: {
    status: 403,
    en: { title: 'Not the requester', detail: 'Only the requester may cancel a request.' },
    fr: { title: 'Réservé au demandeur', detail: 'Seul l’auteur d’une demande peut l’annuler.' },
  },
});
