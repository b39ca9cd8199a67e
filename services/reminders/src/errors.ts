/** The error codes that only this service has. */
import { declareErrors, fields as t } from '@association-service/contracts';
import { WRONG_TRIES_MAX } from './preferences/codes.rules.ts';

export const REMINDER_ERRORS = {
  code_invalid: {
    status: 403,
    en: {
      title: 'Code wrong',
      detail: 'This is not the code that was sent. `attempts_left` is the number of tries that are left with it.',
    },
    fr: {
      title: 'Code erroné',
      detail: 'Ce n’est pas le code qui a été envoyé. `attempts_left` indique le nombre d’essais restants.',
    },
    extras: { attempts_left: t.integer(0, WRONG_TRIES_MAX, 'The number of tries that are left with this code.', 3) },
  },
  no_code_waiting: {
    status: 409,
    en: {
      title: 'No code can confirm this address',
      detail:
        'None was sent, it has expired, or it was entered wrongly too often. Set the address again to get another one.',
    },
    fr: {
      title: 'Aucun code ne peut confirmer cette adresse',
      detail:
        'Aucun n’a été envoyé, il a expiré ou a été mal saisi trop souvent. Indiquez l’adresse de nouveau pour en recevoir un.',
    },
  },
  too_many_codes: {
    status: 429,
    en: {
      title: 'Too many codes',
      detail: 'Too many codes were sent to you, or to this address. Try again after the time in `Retry-After`.',
    },
    fr: {
      title: 'Trop de codes',
      detail: 'Trop de codes ont été envoyés, à vous ou à cette adresse. Réessayez après le délai de `Retry-After`.',
    },
    extras: { retry_after_s: t.integer(0, t.UNBOUNDED, 'As in `Retry-After`.', 1_800) },
  },
} as const;

/** Builds a refusal. The caller throws it. */
export const refuse = declareErrors(REMINDER_ERRORS);
