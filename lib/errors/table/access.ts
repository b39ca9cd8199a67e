import { errorTable } from './entry.ts';

/** Tokens, roles and PINs. */
export const ACCESS_ERRORS = errorTable({
  token_missing: {
    status: 401,
    en: { title: 'Access token missing', detail: 'Send `Authorization: Bearer <token>`.' },
    fr: { title: 'Jeton d’accès manquant', detail: 'Veuillez envoyer `Authorization: Bearer <jeton>`.' },
  },
  token_invalid: {
    status: 401,
    en: {
      title: 'Access token invalid',
      detail: 'The token is malformed, not signed by a trusted key, or lacks a required claim.',
    },
    fr: {
      title: 'Jeton d’accès invalide',
      detail: 'Le jeton est mal formé, n’est pas signé par une clé reconnue ou est incomplet.',
    },
  },
  token_expired: {
    status: 401,
    en: { title: 'Access token expired', detail: 'Get a new token and try again.' },
    fr: { title: 'Jeton d’accès expiré', detail: 'Veuillez obtenir un nouveau jeton, puis réessayer.' },
  },
  insufficient_scope: {
    status: 403,
    en: { title: 'Scope missing', detail: 'The token lacks a required scope: see `required_scopes`.' },
    fr: {
      title: 'Habilitation insuffisante',
      detail: 'Le jeton n’ouvre pas le droit requis\u00a0: voir `required_scopes`.',
    },
  },
  role_not_allowed: {
    status: 403,
    en: { title: 'Role not allowed', detail: 'Only members with one of the `required_roles` may do this.' },
    fr: { title: 'Rôle non autorisé', detail: 'Seuls les membres ayant un des `required_roles` y sont autorisés.' },
  },
  pin_invalid: {
    status: 403,
    en: {
      title: 'PIN invalid',
      detail: 'The PIN is wrong. `attempts_left` is the number of attempts left before the PIN is locked.',
    },
    fr: {
      title: 'Code secret refusé',
      detail: 'Votre code secret n’a pas pu être accepté. `attempts_left` indique les essais restants avant blocage.',
    },
  },
  pin_unreadable: {
    status: 403,
    en: {
      title: 'PIN unreadable',
      detail:
        'No current key decrypts this PIN. Encrypt it again with a key of GET /keys/pin. This attempt does not count.',
    },
    fr: {
      title: 'Code secret illisible',
      detail:
        'Aucune clé actuelle ne déchiffre ce code secret. Veuillez le chiffrer à nouveau avec une clé de ' +
        'GET /keys/pin\u00a0; cet essai ne compte pas.',
    },
  },
  pin_replayed: {
    status: 403,
    en: { title: 'PIN ciphertext already used', detail: 'Encrypt the PIN again for each operation.' },
    fr: {
      title: 'Code secret chiffré déjà utilisé',
      detail: 'Le code secret doit être chiffré à nouveau pour chaque opération.',
    },
  },
  pin_locked: {
    status: 423,
    en: { title: 'PIN locked', detail: 'Too many wrong PINs in a row. Wait for `Retry-After` seconds.' },
    fr: {
      title: 'Code secret bloqué',
      detail: 'Trop de codes erronés se sont succédé. Veuillez patienter `Retry-After` secondes.',
    },
  },
  pin_not_set: {
    status: 409,
    en: { title: 'PIN not set', detail: 'Set a PIN with PUT /me/pin first.' },
    fr: { title: 'Code secret non défini', detail: 'Veuillez d’abord définir un code secret par PUT /me/pin.' },
  },
});
