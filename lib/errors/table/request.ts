import { errorTable } from './entry.ts';

/** Requests that cannot be read or answered, and faults of the server. */
export const REQUEST_ERRORS = errorTable({
  malformed_request: {
    status: 400,
    en: { title: 'Malformed request', detail: 'This is not well-formed HTTP. HTTP/1.1 needs exactly one `Host`.' },
    fr: {
      title: 'Requête mal formée',
      detail: 'Ce message n’est pas du HTTP bien formé. HTTP/1.1 exige exactement un `Host`.',
    },
  },
  expectation_failed: {
    status: 417,
    en: { title: 'Expectation failed', detail: 'The server supports only `100-continue`. Leave `Expect` out.' },
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
    en: { title: 'Malformed JSON', detail: 'The body must be a well-formed JSON object.' },
    fr: { title: 'JSON mal formé', detail: 'Le corps doit être un objet JSON bien formé.' },
  },
  body_too_large: {
    status: 413,
    en: { title: 'Body too large', detail: 'The body is larger than 64 KiB, or than the limit of this operation.' },
    fr: {
      title: 'Corps trop volumineux',
      detail: 'Le corps de la requête dépasse 64 Kio, ou la limite de cette opération.',
    },
  },
  unsupported_media_type: {
    status: 415,
    en: { title: 'Unsupported media type', detail: 'Send the body as application/json.' },
    fr: { title: 'Type de contenu non pris en charge', detail: 'Veuillez envoyer le corps en application/json.' },
  },
  validation_failed: {
    status: 422,
    en: { title: 'Validation failed', detail: 'Fields are missing, unknown or not valid: see `errors`.' },
    fr: { title: 'Données invalides', detail: 'Des champs manquent, sont inconnus ou invalides\u00a0: voir `errors`.' },
  },
  amount_precision: {
    status: 422,
    en: { title: 'Too many decimals', detail: 'The amount has more decimals than the currency.' },
    fr: { title: 'Trop de décimales', detail: 'Le montant comporte plus de décimales que la devise n’en admet.' },
  },
  not_acceptable: {
    status: 406,
    en: {
      title: 'Not acceptable',
      detail: 'No media type in `Accept` is available. `available` lists the available ones.',
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
      detail: 'This key was already sent with a different request. Use a new key for each operation.',
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
      detail: 'The first request with this key is still running. Try again shortly.',
    },
    fr: {
      title: 'Opération en cours',
      detail: 'La première requête portant cette clé n’a pas encore abouti. Veuillez réessayer dans un instant.',
    },
  },
  precondition_failed: {
    status: 412,
    en: {
      title: 'Precondition failed',
      detail: 'The resource has changed since you read it with this `ETag`. Read it again.',
    },
    fr: {
      title: 'Précondition non remplie',
      detail: 'L’élément a changé depuis que vous l’avez lu avec cet `ETag`. Veuillez le relire.',
    },
  },
  precondition_required: {
    status: 428,
    en: { title: 'Precondition required', detail: 'Send the `ETag` of the resource as `If-Match`.' },
    fr: { title: 'Précondition requise', detail: 'Veuillez envoyer l’`ETag` de l’élément dans `If-Match`.' },
  },
  rate_limited: {
    status: 429,
    en: { title: 'Too many requests', detail: 'You have sent too many requests. Wait for `Retry-After` seconds.' },
    fr: {
      title: 'Trop de requêtes',
      detail: 'Vous avez dépassé le nombre de requêtes permis. Veuillez patienter `Retry-After` secondes.',
    },
  },
  method_not_allowed: {
    status: 405,
    en: {
      title: 'Method not allowed',
      detail: 'This path does not support the method. `Allow` lists the supported methods.',
    },
    fr: {
      title: 'Méthode non admise',
      detail: 'Ce chemin n’admet pas cette méthode. `Allow` énumère celles qu’il admet.',
    },
  },
  not_found: {
    status: 404,
    en: { title: 'Not found', detail: 'The resource does not exist, or you are not allowed to see it.' },
    fr: { title: 'Introuvable', detail: 'Cet élément n’existe pas, ou vous n’êtes pas autorisé à le voir.' },
  },

  // Faults of the server
  internal_error: {
    status: 500,
    en: { title: 'Internal error', detail: 'The server failed. The error is logged with the `request_id`.' },
    fr: { title: 'Erreur interne', detail: 'Le serveur a échoué. L’erreur est consignée sous `request_id`.' },
  },
  service_unavailable: {
    status: 503,
    en: { title: 'Service unavailable', detail: 'Part of the service is unavailable. Try again shortly.' },
    fr: {
      title: 'Service indisponible',
      detail: 'Une partie du service est momentanément indisponible. Veuillez réessayer dans un instant.',
    },
  },
  overloaded: {
    status: 503,
    en: {
      title: 'Overloaded',
      detail:
        'The service has too many requests at the moment. This one had no effect. Send it again after `Retry-After` seconds.',
    },
    fr: {
      title: 'Surcharge',
      detail:
        'Le service reçoit trop de requêtes en ce moment. Celle-ci n’a eu aucun effet. Veuillez la renvoyer après `Retry-After` secondes.',
    },
  },
  outcome_unknown: {
    status: 503,
    en: {
      title: 'Outcome unknown',
      detail: 'The request may still take effect. Read the current state before you repeat it.',
    },
    fr: {
      title: 'Issue encore inconnue',
      detail: 'La requête peut encore prendre effet. Veuillez vérifier avant de la répéter.',
    },
  },
});
