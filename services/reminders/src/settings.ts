/** The settings that only this service has. */
import { StartupError, secret, SECRET_MIN_BYTES, type ReadSetting } from '@association-service/contracts/service';
import type { VariableType } from '@association-service/contracts/service';
import type { Channels, Sender } from './channels/channels.ts';
import { smsSender, type SmsSettings } from './channels/sms.ts';
import { bodyKindOf, readHeaders, templateFault } from './channels/sms-template.rules.ts';
import { smtpSender, type SmtpSettings } from './channels/smtp.ts';
import { readEmail } from './preferences/addresses.rules.ts';
import type { Channel } from './preferences/preferences.rules.ts';

export interface ReminderSettings {
  codeKey: string;
  smtp: SmtpSettings | undefined;
  sms: SmsSettings | undefined;
}

/** For each of them, X_FILE may name a file that holds the value. */
export const SECRETS = ['SMTP_URL', 'SMS_URL', 'SMS_HEADERS', 'SMS_BODY'];

/** Development makes it; production needs it. */
export const GENERATED_SECRETS = ['REMINDERS_CODE_KEY'];

const hasProtocol = (given: string, protocols: readonly string[]) =>
  URL.canParse(given) && protocols.includes(new URL(given).protocol) && new URL(given).hostname !== '';

const smtpUrl: VariableType<string> = {
  form: 'smtp://user:password@host:port or smtps://… (percent-encode special characters)',
  parse: (given) => (hasProtocol(given.trim(), ['smtp:', 'smtps:']) ? given.trim() : undefined),
};

const smsUrl: VariableType<string> = {
  form: 'https://host/path or http://…, without user and password: set Authorization in SMS_HEADERS instead',
  parse: (given) => {
    const url = given.trim();
    // No request can be made to a URL with credentials.
    const isUrl = hasProtocol(url, ['https:', 'http:']) && new URL(url).username + new URL(url).password === '';
    return isUrl ? url : undefined;
  },
};

const sender: VariableType<string> = {
  form: 'an address, or a name and an address as in "Tontine <no-reply@example.com>", in ASCII',
  parse: (given) => {
    const [, address = given.trim()] = /^[\x20-\x7e]*<([^<>]+)>$/.exec(given.trim()) ?? [];
    return readEmail(address) === undefined ? undefined : given.trim();
  },
};

const headers: VariableType<Record<string, string>> = {
  form: 'a JSON object of header names and texts, without headers of the connection such as Content-Length',
  parse: readHeaders,
};

const text: VariableType<string> = { form: 'a text', parse: (given) => given };

/** What most gateways take. Operators whose gateway differs set it as they need. */
const SMS_BODY_DEFAULT = '{"to": "{to}", "text": "{text}"}';
const CONTENT_TYPE = 'content-type';
/** With others it is not known how a value must be escaped, so that a name could add another SMS to the request. */
const CONTENT_TYPES = 'of JSON, application/x-www-form-urlencoded, of XML, or text/plain';

/** @throws StartupError with a message of one line */
export function readSettings(read: ReadSetting): ReminderSettings {
  const codeKey = read('REMINDERS_CODE_KEY', secret(SECRET_MIN_BYTES));
  if (codeKey === undefined) throw new StartupError('REMINDERS_CODE_KEY is not set.');
  return { codeKey, smtp: readSmtp(read), sms: readSms(read) };
}

function readSmtp(read: ReadSetting): SmtpSettings | undefined {
  const url = read('SMTP_URL', smtpUrl);
  const from = read('SMTP_FROM', sender);
  if (url === undefined) return undefined;
  if (from === undefined) throw new StartupError(`SMTP_URL needs SMTP_FROM: it must be ${sender.form}.`);
  return { url, from };
}

function readSms(read: ReadSetting): SmsSettings | undefined {
  const url = read('SMS_URL', smsUrl);
  const given = read('SMS_HEADERS', headers) ?? {};
  const body = read('SMS_BODY', text) ?? SMS_BODY_DEFAULT;
  if (url === undefined) return undefined;
  const all = { [CONTENT_TYPE]: 'application/json', ...given };
  const kind = bodyKindOf(all[CONTENT_TYPE]);
  if (kind === undefined) throw new StartupError(`Content-Type in SMS_HEADERS must be ${CONTENT_TYPES}.`);
  const fault = templateFault(body, kind);
  if (fault !== undefined) throw new StartupError(`SMS_BODY ${fault}.`);
  return { url, headers: all, kind, body };
}

/** Opens the channels that the settings name. */
export function openChannels({ smtp, sms }: Pick<ReminderSettings, 'smtp' | 'sms'>): Channels {
  const channels = new Map<Channel, Sender>();
  if (smtp !== undefined) channels.set('email', smtpSender(smtp));
  if (sms !== undefined) channels.set('sms', smsSender(sms));
  return channels;
}
