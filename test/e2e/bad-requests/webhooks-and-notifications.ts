import { SELDOM } from '../conformance/webhooks.ts';
import { invalid, MISSING, refused, type BadRequest, type World } from './world.ts';

const { url } = SELDOM;

/** Returns bad requests about webhooks and the caller's notifications. */
export function webhooksAndNotifications(w: World): BadRequest[] {
  const { path } = w.group;
  return [
    ...endpoints('president', `${path}/webhooks`, w.webhook),
    ...endpoints('manager', '/webhooks', w.globalWebhook),
    ...refused([
      ['an endpoint as treasurer', 'treasurer', `POST ${path}/webhooks`, '403 role_not_allowed', { url }],
      ['an endpoint as a plain member', 'member', `POST ${path}/webhooks`, '403 role_not_allowed', { url }],
      ['an endpoint as an outsider', 'outsider', `POST ${path}/webhooks`, '404 not_found', { url }],
      ["another group's endpoints", 'outsider', `GET ${path}/webhooks`, '404 not_found'],
      ['reading an endpoint as a plain member', 'member', `GET ${path}/webhooks/${w.webhook}`, '403 role_not_allowed'],
      ['an endpoint for all, without the scope', 'president', 'POST /webhooks', '403 insufficient_scope', { url }],
      ['endpoints for all, without the scope', 'president', 'GET /webhooks', '403 insufficient_scope'],
      [
        'an endpoint for all as that of a group',
        'president',
        `GET ${path}/webhooks/${w.globalWebhook}`,
        '404 not_found',
      ],
      ['an endpoint of a group as one for all', 'manager', `GET /webhooks/${w.webhook}`, '404 not_found'],
      ['an endpoint of a group with the scope alone', 'manager', `GET ${path}/webhooks/${w.webhook}`, '404 not_found'],
    ]),
    ...settings(),
  ];
}

/** Bad requests of a caller who may manage the endpoints of this path. */
function endpoints(as: BadRequest['as'], path: string, webhook_id: string): BadRequest[] {
  const one = `${path}/${webhook_id}`;
  return [
    ...invalid(as, `POST ${path}`, [
      ['no URL', {}, '/url'],
      ['a URL that is a number', { url: 7 }, '/url'],
      ['a URL of blanks', { url: '  ' }, '/url'],
      ['a text that is no URL', { url: 'example.com' }, '/url'],
      ['a URL without slashes', { url: 'https:example.com' }, '/url'],
      ['a URL of another scheme', { url: 'ftp://example.com/hook' }, '/url'],
      ['a URL with a password', { url: 'https://user:password@example.com/hook' }, '/url'],
      ['a URL with a fragment', { url: 'https://example.com/hook#here' }, '/url'],
      ['a URL of 2 049 characters', { url: `https://example.com/${'x'.repeat(2029)}` }, '/url'],
      ['no types', { url, types: [] }, '/types'],
      ['types that are a text', { url, types: 'member.joined' }, '/types'],
      ['an unknown type', { url, types: ['member.joined', 'member.sang'] }, '/types/1'],
      ['a type that endpoints cannot choose', { url, types: ['webhook.ping'] }, '/types/0'],
      ['a description of 501 characters', { url, description: 'x'.repeat(501) }, '/description'],
      ['a secret of their own', { url, secret: `whsec_${'A'.repeat(44)}` }, '/secret'],
      ['a status', { url, status: 'disabled' }, '/status'],
    ]),
    ...invalid(as, `PATCH ${one}`, [
      ['no change', {}, ''],
      ['a URL of null', { url: null }, '/url'],
      ['a text that is no URL', { url: 'https://' }, '/url'],
      ['no types', { types: [] }, '/types'],
      ['an unknown status', { status: 'paused' }, '/status'],
      ['a reason', { disabled_reason: 'gone' }, '/disabled_reason'],
      ['another association', { association_id: MISSING }, '/association_id'],
    ]),
    ...invalid(as, `POST ${one}/replay`, [
      ['no beginning', {}, '/from'],
      ['a day instead of an instant', { from: '2026-01-01' }, '/from'],
      ['an end that is the beginning', { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/to'],
      ['an end before the beginning', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/to'],
    ]),
    ...invalid(as, `POST ${one}/ping`, [['a field', { type: 'member.joined' }, '/type']]),
    ...invalid(as, `POST ${one}/rotate-secret`, [['a secret of their own', { secret: 'x' }, '/secret']]),
    ...invalid(as, `GET ${path}?limit=201`, [['too many rows', undefined, 'limit']]),
    ...invalid(as, `GET ${path}?cursor=abc`, [['a forged cursor', undefined, 'cursor']]),
    ...invalid(as, `GET ${one}/deliveries?status=lost`, [['an unknown status', undefined, 'status']]),
    ...invalid(as, `GET ${one}/deliveries?cursor=abc`, [['a forged cursor', undefined, 'cursor']]),
    ...refused([
      ['an endpoint that does not exist', as, `GET ${path}/${MISSING}`, '404 not_found'],
      ['a malformed id', as, `GET ${path}/1`, '404 not_found'],
      ['changing one that does not exist', as, `PATCH ${path}/${MISSING}`, '404 not_found', { types: ['*'] }],
      ['deleting one that does not exist', as, `DELETE ${path}/${MISSING}`, '404 not_found'],
      ['a ping to one that does not exist', as, `POST ${path}/${MISSING}/ping`, '404 not_found'],
      ['a delivery that does not exist', as, `POST ${one}/deliveries/${MISSING}/retry`, '404 not_found'],
    ]),
    {
      ...{ rule: 'a change of an endpoint that has changed', as, send: `PATCH ${one}`, body: { types: ['*'] } },
      ...{ headers: { 'If-Match': '"earlier"' }, status: 412, code: 'precondition_failed' },
    },
  ];
}

/** Bad requests about the caller's own settings. */
function settings(): BadRequest[] {
  const quiet = { from: '21:00', to: '07:00' };
  return [
    ...invalid('member', 'PATCH /me/notifications', [
      ['no change', {}, ''],
      ['an address that is none', { email: 'awa' }, '/email'],
      ['an address with a line feed', { email: 'awa@example.com\nBcc: x@example.com' }, '/email'],
      ['an address of two', { email: 'awa@example.com, binta@example.com' }, '/email'],
      ['an address of 255 characters', { email: `${'a'.repeat(64)}@${'b'.repeat(186)}.com` }, '/email'],
      ['a number without a country code', { phone: '670000000' }, '/phone'],
      ['a number of letters', { phone: '+237 CALL ME' }, '/phone'],
      ['an unknown language', { language: 'de' }, '/language'],
      ['an unknown channel', { channels: ['email', 'post'] }, '/channels/1'],
      ['channels that are a text', { channels: 'email' }, '/channels'],
      ['an unknown type', { types: ['birthday'] }, '/types/0'],
      ['quiet hours without an end', { quiet_hours: { from: '21:00' } }, '/quiet_hours/to'],
      ['a time that does not exist', { quiet_hours: { ...quiet, from: '24:00' } }, '/quiet_hours/from'],
      ['quiet hours of no time', { quiet_hours: { from: '21:00', to: '21:00' } }, '/quiet_hours/to'],
      ['an unknown zone', { quiet_hours: { ...quiet, time_zone: 'Mars/One' } }, '/quiet_hours/time_zone'],
      ['an address that is confirmed without a code', { email_confirmed: true }, '/email_confirmed'],
      ['an address in use without a code', { email_in_use: 'awa@example.com' }, '/email_in_use'],
    ]),
    ...invalid('member', 'POST /me/notifications/confirm', [
      ['neither channel nor code', {}, '/channel', '/code'],
      ['an unknown channel', { channel: 'post', code: '123456' }, '/channel'],
      ['a code that is a number', { channel: 'email', code: 123456 }, '/code'],
      ['no digits', { channel: 'email', code: ' ' }, '/code'],
      ['a code of 5 digits', { channel: 'email', code: '12345' }, '/code'],
      ['a code of 7 digits', { channel: 'sms', code: '123 4567' }, '/code'],
      ['a code with a letter', { channel: 'email', code: '12345O' }, '/code'],
      ['a code of 21 characters', { channel: 'email', code: `123456${' '.repeat(15)}` }, '/code'],
      ['an address', { channel: 'email', code: '123456', email: 'awa@example.com' }, '/email'],
    ]),
    ...invalid('member', 'GET /me/notifications?user_id=x', [['another user', undefined, 'user_id']]),
    ...invalid('member', 'GET /me/notifications/sent?limit=0', [['no rows', undefined, 'limit']]),
    ...invalid('member', 'GET /me/notifications/sent?cursor=abc', [['a forged cursor', undefined, 'cursor']]),
    ...refused([
      [
        'a code that was not sent',
        'member',
        'POST /me/notifications/confirm',
        '409 no_code_waiting',
        { channel: 'email', code: '123456' },
      ],
    ]),
    {
      ...{ rule: 'a change of settings that have changed', as: 'member', send: 'PATCH /me/notifications' },
      ...{ body: { language: 'fr' }, headers: { 'If-Match': '"earlier"' }, status: 412, code: 'precondition_failed' },
    },
  ];
}
