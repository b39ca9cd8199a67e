import type { Facts, Piece, Words } from './words.view.ts';

const inDays = (days: number): string =>
  days <= 0 ? 'aujourd’hui' : days === 1 ? 'demain' : `dans ${String(days)} jours`;

const PAID_BY = {
  wallet: 'sur votre portefeuille',
  cash: 'en espèces',
  both: 'en partie sur votre portefeuille et en partie en espèces',
};

const PIN_CHANGES: Record<string, string> = {
  set: 'Un code secret a été défini pour votre compte.',
  changed: 'Le code secret de votre compte a été modifié.',
  reset: 'Le code secret de votre compte a été effacé. Définissez-en un nouveau avant votre prochain paiement.',
};

const ADDRESSES: Record<string, string> = { email: 'cette adresse e-mail', sms: 'ce numéro de téléphone' };

const meeting = ({ day, group }: Facts): [string, string][] => [
  ['Réunion', day],
  ['Groupe', group],
];

const until = (facts: Facts): [string, string][] => (facts.until === '' ? [] : [['Jusqu’au', facts.until]]);

const IF_PAID = 'Si vous avez payé entre-temps, vous n’avez rien à faire.';

export const FRENCH: Words = {
  quote: (name) => `«\u00a0${name}\u00a0»`,
  colon: '\u00a0: ',
  any_group: 'votre groupe',
  roles: {
    president: 'président(e)',
    treasurer: 'trésorier(ère)',
    secretary: 'secrétaire',
    member: 'membre',
  },
  subjects: {
    cash_deposit: 'une remise d’espèces',
    distribution: 'un versement du fonds',
    meeting_sheet: 'la feuille d’une réunion',
    correction: 'la correction d’un paiement',
    role_change: 'un changement de rôle',
    rules_change: 'un changement des règles',
    expulsion: 'l’exclusion d’un membre',
    closure: 'la fermeture du groupe',
    motion: 'une motion',
    fine_waiver: 'la remise d’une amende',
  },
  any_subject: 'une demande',
  footer: {
    member: (group) => `Vous recevez ce message parce que vous êtes membre de ${group}.`,
    security: 'Les messages sur la sécurité de votre compte sont toujours envoyés.',
    choose: 'Vous choisissez dans les réglages de vos notifications ce qui vous est envoyé, et quand.',
  },
  texts: {
    due_soon: (facts) => ({
      subject: `${facts.amount} à payer ${inDays(facts.days_left)}\u00a0: ${facts.group}`,
      heading: `Votre cotisation est attendue ${inDays(facts.days_left)}`,
      paragraphs: [`Pour la réunion de ${facts.quoted} du ${facts.day}, vous devez encore\u00a0:`],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group} : ${facts.sms_amount} à payer pour le ${facts.short_day}.`,
    }),
    due_today: (facts) => ({
      subject: `${facts.amount} à payer aujourd’hui\u00a0: ${facts.group}`,
      heading: 'Votre cotisation est attendue aujourd’hui',
      paragraphs: [`Pour la réunion de ${facts.quoted} d’aujourd’hui, vous devez encore\u00a0:`, IF_PAID],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group} : ${facts.sms_amount} à payer aujourd'hui, ${facts.short_day}.`,
    }),
    due_late: (facts) => ({
      subject: `${facts.amount} en retard\u00a0: ${facts.group}`,
      heading: 'Votre cotisation est en retard',
      paragraphs: [`Pour la réunion de ${facts.quoted} du ${facts.day}, cette somme n’a pas été payée\u00a0:`, IF_PAID],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group} : ${facts.sms_amount} attendus le ${facts.short_day} ne sont pas encore payés.`,
    }),
    turn_tomorrow: (facts) => ({
      subject: `Votre tour demain\u00a0: ${facts.group}`,
      heading: 'Demain, c’est votre tour',
      paragraphs: [
        `À la réunion de ${facts.quoted} du ${facts.day}, vous recevez la cagnotte. Si tout le monde paie, c’est\u00a0:`,
      ],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group} : votre tour est le ${facts.short_day}. Attendu : ${facts.sms_amount}.`,
    }),
    pot_paid: (facts) => ({
      subject: `${facts.amount} versés\u00a0: ${facts.group}`,
      heading: 'Vous avez été payé(e)',
      paragraphs: [
        `La réunion de ${facts.quoted} du ${facts.day} est réglée. Vous avez reçu ${PAID_BY[facts.methods]}\u00a0:`,
      ],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group} : vous avez reçu ${facts.sms_amount} pour la réunion du ${facts.short_day}.`,
    }),
    distribution_paid: (facts) => ({
      subject: `${facts.amount} versés\u00a0: ${facts.group}`,
      heading: 'Vous avez été payé(e)',
      paragraphs: [`${facts.quoted} vous a versé de son fonds\u00a0:`],
      highlight: facts.amount,
      rows: [['Groupe', facts.group]],
      sms: (group) => `${group} : vous avez reçu ${facts.sms_amount} du fonds.`,
    }),
    vote_waiting: (facts) => ({
      subject: `Votre vote est attendu sur ${facts.subject}\u00a0: ${facts.group}`,
      heading: 'Votre vote est attendu',
      paragraphs: [`Le bureau de ${facts.quoted} décide sur ${facts.subject}, et votre vote manque.`],
      rows: [['Décision', facts.subject], ...until(facts), ['Groupe', facts.group]],
      sms: (group) =>
        `${group} : votre vote est attendu sur ${facts.subject}${facts.short_until && ` jusqu'au ${facts.short_until}`}.`,
    }),
    role_changed: (facts) => ({
      subject: `Votre rôle a changé\u00a0: ${facts.group}`,
      heading: 'Votre rôle a changé',
      paragraphs: [
        `Dans ${facts.quoted}, votre rôle était\u00a0: ${facts.from}. Il est maintenant\u00a0: ${facts.to}.`,
        'Si vous ne vous y attendiez pas, demandez au bureau de votre groupe.',
      ],
      rows: [
        ['Avant', facts.from],
        ['Maintenant', facts.to],
        ['Groupe', facts.group],
      ],
      sms: (group) => `${group} : votre rôle est maintenant ${facts.to} (avant : ${facts.from}).`,
    }),
    pin_changed: (facts) => ({
      subject: 'Votre code secret a changé',
      heading: 'Votre code secret a changé',
      paragraphs: [
        PIN_CHANGES[facts.reason] ?? 'Le code secret de votre compte a été modifié.',
        'Si ce n’était pas vous, prévenez tout de suite ceux qui gèrent ce service\u00a0: quelqu’un pourrait payer avec votre argent.',
      ],
      rows: [],
      sms: () =>
        `${PIN_CHANGES[facts.reason] ?? 'Votre code secret a été modifié.'} Si ce n'était pas vous, signalez-le.`,
    }),
    webhook_disabled: ({ host, other_hosts }) =>
      other_hosts.length === 0 ? oneWebhook(host) : webhooks(host, other_hosts),
    confirm_address: (facts) => ({
      subject: 'Votre code',
      heading: 'Confirmez votre adresse',
      paragraphs: [
        `Saisissez ce code pour recevoir ici vos notifications. Il est valable ${String(facts.minutes)} minutes.`,
        'Si vous n’avez rien demandé, ignorez ce message\u00a0: sans le code, rien ne sera envoyé ici.',
      ],
      highlight: facts.code,
      rows: [],
      sms: () =>
        `Votre code pour les notifications est ${facts.code}. Si vous n'avez rien demandé, ignorez ce message.`,
    }),
    address_changed: (facts) => ({
      subject: 'Vos notifications n’arrivent plus ici',
      heading: 'Vos notifications n’arrivent plus ici',
      paragraphs: [
        facts.change === 'removed'
          ? `Vos notifications n’utilisent plus ${ADDRESSES[facts.channel] ?? 'cette adresse'}.`
          : `Vos notifications sont maintenant envoyées ailleurs qu’à ${ADDRESSES[facts.channel] ?? 'cette adresse'}.`,
        'Si ce n’était pas vous, quelqu’un d’autre utilise votre compte\u00a0: prévenez tout de suite ceux qui gèrent ce service.',
      ],
      rows: [],
      sms: () => "Vos notifications n'arrivent plus à ce numéro. Si ce n'était pas vous, signalez-le tout de suite.",
    }),
  },
};

function oneWebhook(host: string): Piece {
  return {
    subject: `Webhook désactivé\u00a0: ${host}`,
    heading: 'Un webhook a été désactivé',
    paragraphs: [
      `Des événements n’ont pas pu être remis à ${host}\u00a0: son webhook est désactivé et n’en reçoit plus.`,
      'Réparez le destinataire, réactivez le webhook, puis faites renvoyer les événements manqués.',
    ],
    rows: [['Destinataire', host]],
    sms: () => `Le webhook vers ${host} a été désactivé : des événements n'ont pas pu être remis.`,
  };
}

function webhooks(host: string, others: readonly string[]): Piece {
  const all = `${host} et ${others.length === 1 ? '1 autre' : `${String(others.length)} autres`}`;
  return {
    subject: `Webhooks désactivés\u00a0: ${all}`,
    heading: 'Des webhooks ont été désactivés',
    paragraphs: [
      `Des événements n’ont pas pu être remis à ${all}\u00a0: leurs webhooks sont désactivés et n’en reçoivent plus.`,
      'Réparez les destinataires, réactivez les webhooks, puis faites renvoyer les événements manqués.',
    ],
    rows: [host, ...others].map((each) => ['Destinataire', each]),
    sms: () => `Les webhooks vers ${all} ont été désactivés : des événements n'ont pas pu être remis.`,
  };
}
