import { declareErrors } from '@association-service/contracts';

/** The error codes that only this service has. */
export const WEBHOOK_ERRORS = {
  webhook_limit: {
    status: 409,
    en: {
      title: 'Too many endpoints',
      detail: 'There may be at most 20 endpoints. Delete one that is no longer used.',
    },
    fr: {
      title: 'Trop de points de réception',
      detail: 'Il peut y avoir au plus 20 points de réception. Veuillez en supprimer un qui ne sert plus.',
    },
  },
  webhook_disabled: {
    status: 409,
    en: { title: 'Endpoint disabled', detail: 'Nothing is sent to a disabled endpoint. Enable it first.' },
    fr: {
      title: 'Point de réception désactivé',
      detail: 'Rien n’est envoyé à un point de réception désactivé. Veuillez d’abord le réactiver.',
    },
  },
  webhook_replay_running: {
    status: 409,
    en: { title: 'Replay running', detail: 'An earlier replay to this endpoint has not ended. Try again later.' },
    fr: {
      title: 'Renvoi en cours',
      detail: 'Un renvoi précédent vers ce point de réception n’est pas terminé. Veuillez réessayer plus tard.',
    },
  },
  webhook_secret_limit: {
    status: 409,
    en: {
      title: 'Too many secrets',
      detail: 'Five replaced secrets still sign. Each does so for 24 hours: try again later.',
    },
    fr: {
      title: 'Trop de clés',
      detail: 'Cinq clés remplacées signent encore, chacune pendant 24 heures. Veuillez réessayer plus tard.',
    },
  },
} as const;

/** Builds a refusal with a code of this service. */
export const refusal = declareErrors(WEBHOOK_ERRORS);
