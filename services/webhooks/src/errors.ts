import { declareErrors } from '@association-service/contracts';
import {
  OLD_SECRET_SIGNS_FOR_MS,
  OLD_SECRETS_MAX,
  REPLAYS_COUNT_FOR_MS,
  REPLAYS_MAX,
  WEBHOOKS_MAX,
} from './limits.rules.ts';
import { HOUR_MS } from './times.rules.ts';

const OLD_SECRET_HOURS = OLD_SECRET_SIGNS_FOR_MS / HOUR_MS;

const REPLAYS_HOURS = REPLAYS_COUNT_FOR_MS / HOUR_MS;

/** The error codes that only this service has. */
export const WEBHOOK_ERRORS = {
  webhook_limit: {
    status: 409,
    en: {
      title: 'Too many endpoints',
      detail: `There may be at most ${String(WEBHOOKS_MAX)} endpoints. Delete one that is no longer used.`,
    },
    fr: {
      title: 'Trop de points de réception',
      detail: `Il peut y avoir au plus ${String(WEBHOOKS_MAX)} points de réception. Veuillez en supprimer un qui ne sert plus.`,
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
  webhook_replay_limit: {
    status: 409,
    en: {
      title: 'Too many replays',
      detail: `There may be at most ${String(REPLAYS_MAX)} replays to an endpoint within ${String(REPLAYS_HOURS)} hours. Try again later.`,
    },
    fr: {
      title: 'Trop de renvois',
      detail: `Il peut y avoir au plus ${String(REPLAYS_MAX)} renvois vers un point de réception en ${String(REPLAYS_HOURS)} heures. Veuillez réessayer plus tard.`,
    },
  },
  webhook_secret_limit: {
    status: 409,
    en: {
      title: 'Too many secrets',
      detail: `${String(OLD_SECRETS_MAX)} replaced secrets still sign. Each does so for ${String(OLD_SECRET_HOURS)} hours: try again later.`,
    },
    fr: {
      title: 'Trop de clés',
      detail: `${String(OLD_SECRETS_MAX)} clés remplacées signent encore, chacune pendant ${String(OLD_SECRET_HOURS)} heures. Veuillez réessayer plus tard.`,
    },
  },
} as const;

/** Builds a refusal with a code of this service. */
export const refusal = declareErrors(WEBHOOK_ERRORS);
