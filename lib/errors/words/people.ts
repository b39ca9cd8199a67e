import type { ErrorEntry } from './entry.ts';

/** Who asks, with which PIN, and who belongs to an association. */
export const PEOPLE_ERRORS = {
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
    en: { title: 'Scope missing', detail: 'The token lacks a scope that this needs; `required_scopes` names it.' },
    fr: {
      title: 'Habilitation insuffisante',
      detail: 'Le jeton n’ouvre pas le droit requis. `required_scopes` le nomme.',
    },
  },
  role_not_allowed: {
    status: 403,
    en: { title: 'Role not allowed', detail: 'Your role in this association may not do this; `required_roles` may.' },
    fr: {
      title: 'Rôle non autorisé',
      detail: 'Votre rôle dans cette association ne le permet pas. `required_roles` énumère ceux qui le permettent.',
    },
  },

  // PINs
  pin_invalid: {
    status: 403,
    en: {
      title: 'PIN invalid',
      detail: 'The PIN could not be accepted. `attempts_left` says how often you may try before it locks.',
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
        'No current key opens this PIN. Get the keys from GET /keys/pin and encrypt it again; this does not count.',
    },
    fr: {
      title: 'Code secret illisible',
      detail:
        'Aucune clé actuelle n’ouvre ce code secret. Veuillez le chiffrer à nouveau avec une clé de GET /keys/pin ; cet essai ne compte pas.',
    },
  },
  pin_replayed: {
    status: 403,
    en: { title: 'PIN ciphertext already used', detail: 'Encrypt the PIN afresh for each operation.' },
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

  // Associations and members
  association_closed: {
    status: 409,
    en: { title: 'Association closed', detail: 'A closed association takes no changes.' },
    fr: { title: 'Association fermée', detail: 'Une association fermée n’admet plus aucune modification.' },
  },
  association_full: {
    status: 409,
    en: { title: 'Association full', detail: 'The association has as many members as it allows.' },
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
      detail: 'An account is not at zero, a cycle or meeting is open, arrears exist or another approval is pending.',
    },
    fr: {
      title: 'Association non soldée',
      detail:
        'Un compte n’est pas à zéro, un cycle ou une réunion est ouvert, des arriérés subsistent ou une autre ' +
        'approbation est en attente.',
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
      detail: 'There is a running cycle, arrears, or a pending cash deposit or distribution.',
    },
    fr: {
      title: 'Membre encore engagé',
      detail: 'Il reste un cycle en cours, des arriérés, ou un dépôt d’espèces ou une distribution en attente.',
    },
  },
  president_cannot_leave: {
    status: 409,
    en: { title: 'The president cannot leave', detail: 'Hand the presidency over first.' },
    fr: { title: 'Départ du président impossible', detail: 'La présidence doit d’abord être transmise.' },
  },
} as const satisfies Record<string, ErrorEntry>;
