import type { ErrorEntry } from './entry.ts';

/** What is wrong with the request itself. */
export const REQUEST_ERRORS = {
  malformed_request: {
    status: 400,
    en: {
      title: 'Malformed request',
      detail: 'This is not well-formed HTTP. A request of HTTP/1.1 has exactly one `Host`, for example.',
    },
    fr: {
      title: 'Requête mal formée',
      detail: 'Ce message n’est pas du HTTP bien formé. En HTTP/1.1, il faut par exemple exactement un en-tête `Host`.',
    },
  },
  expectation_failed: {
    status: 417,
    en: {
      title: 'Expectation failed',
      detail: 'The only expectation that can be met is `100-continue`. Leave `Expect` out.',
    },
    fr: {
      title: 'Attente non satisfaite',
      detail: 'La seule attente prise en charge est `100-continue`. Veuillez omettre `Expect`.',
    },
  },
  headers_too_large: {
    status: 431,
    en: { title: 'Headers too large', detail: 'The headers of the request are larger than 16 KiB.' },
    fr: { title: 'En-têtes trop volumineux', detail: 'Les en-têtes de la requête dépassent 16 Kio.' },
  },
  request_timeout: {
    status: 408,
    en: { title: 'Request took too long', detail: 'The request did not arrive in time. Send it again.' },
    fr: { title: 'Délai dépassé', detail: 'La requête n’est pas arrivée à temps. Veuillez la renvoyer.' },
  },
  malformed_json: {
    status: 400,
    en: { title: 'Malformed JSON', detail: 'The body is not well-formed JSON, or not a JSON object.' },
    fr: { title: 'JSON mal formé', detail: 'Le corps n’est pas du JSON bien formé, ou n’est pas un objet JSON.' },
  },
  body_too_large: {
    status: 413,
    en: { title: 'Body too large', detail: 'The body is larger than 64 KiB.' },
    fr: { title: 'Corps trop volumineux', detail: 'Le corps de la requête dépasse 64 Kio.' },
  },
  unsupported_media_type: {
    status: 415,
    en: { title: 'Unsupported media type', detail: 'Send the body as application/json.' },
    fr: { title: 'Type de contenu non pris en charge', detail: 'Veuillez envoyer le corps en application/json.' },
  },
  validation_failed: {
    status: 422,
    en: {
      title: 'Validation failed',
      detail: 'One or more fields are missing, unknown or out of range; `errors` names each.',
    },
    fr: {
      title: 'Données invalides',
      detail: 'Un ou plusieurs champs manquent, sont inconnus ou hors limites. `errors` les énumère.',
    },
  },
  amount_precision: {
    status: 422,
    en: { title: 'Too many decimals', detail: "The amount has more decimals than the currency's minor unit." },
    fr: { title: 'Trop de décimales', detail: 'Le montant comporte plus de décimales que la devise n’en admet.' },
  },
  not_acceptable: {
    status: 406,
    en: {
      title: 'Not acceptable',
      detail: 'None of the media types of `Accept` can be given; `available` names those that can.',
    },
    fr: {
      title: 'Format non disponible',
      detail: 'Aucun des formats de `Accept` n’est disponible. `available` énumère ceux qui le sont.',
    },
  },
  idempotency_key_reused: {
    status: 422,
    en: {
      title: 'Idempotency key reused',
      detail: 'The key was sent with another request; use a fresh key for each operation.',
    },
    fr: {
      title: 'Clé d’idempotence déjà utilisée',
      detail: 'Cette clé a accompagné une autre requête. Utilisez une nouvelle clé pour chaque opération.',
    },
  },
  idempotency_in_flight: {
    status: 409,
    en: {
      title: 'Operation in flight',
      detail: 'The first request with this key has no answer yet. Try again shortly.',
    },
    fr: {
      title: 'Opération en cours',
      detail: 'La première requête portant cette clé n’a pas encore abouti. Veuillez réessayer dans un instant.',
    },
  },
  rate_limited: {
    status: 429,
    en: {
      title: 'Too many requests',
      detail: 'You have sent more requests than allowed. Wait for `Retry-After` seconds.',
    },
    fr: {
      title: 'Trop de requêtes',
      detail: 'Vous avez dépassé le nombre de requêtes permis. Veuillez patienter `Retry-After` secondes.',
    },
  },
  method_not_allowed: {
    status: 405,
    en: {
      title: 'Method not allowed',
      detail: 'This path does not take that method; `Allow` names those that it takes.',
    },
    fr: {
      title: 'Méthode non admise',
      detail: 'Ce chemin n’admet pas cette méthode. `Allow` énumère celles qu’il admet.',
    },
  },
  not_found: {
    status: 404,
    en: { title: 'Not found', detail: 'There is no such thing, or you may not see it.' },
    fr: { title: 'Introuvable', detail: 'Cet élément n’existe pas, ou vous n’êtes pas autorisé à le voir.' },
  },

  // Ours
  internal_error: {
    status: 500,
    en: { title: 'Internal error', detail: 'Something failed on our side; it has been logged under `request_id`.' },
    fr: {
      title: 'Erreur interne',
      detail: 'Une erreur est survenue de notre côté. Elle est consignée sous `request_id`.',
    },
  },
  service_unavailable: {
    status: 503,
    en: { title: 'Service unavailable', detail: 'A part of the service is away. Try again shortly.' },
    fr: {
      title: 'Service indisponible',
      detail: 'Une partie du service est momentanément indisponible. Veuillez réessayer dans un instant.',
    },
  },
  outcome_unknown: {
    status: 503,
    en: { title: 'Outcome not known yet', detail: 'The request may still take effect. Look before repeating it.' },
    fr: {
      title: 'Issue encore inconnue',
      detail: 'La requête peut encore prendre effet. Veuillez vérifier avant de la répéter.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
