import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText } from '@association-service/contracts/service';
import { openChannels, readSettings } from '../src/settings.ts';

const KEY = { REMINDERS_CODE_KEY: 'k'.repeat(32) };
const read = (env: Record<string, string>) => readSettings((variable, type) => readText(env[variable], type, variable));

describe('the settings', () => {
  it('name no channel by default', () => {
    const settings = read(KEY);
    assert.deepEqual(settings, { codeKey: KEY.REMINDERS_CODE_KEY, smtp: undefined, sms: undefined });
    assert.equal(openChannels(settings).size, 0);
  });

  it('describe a mail server and an SMS gateway', () => {
    const smtp = { SMTP_URL: 'smtps://user:p%40ss@mail.example:465', SMTP_FROM: 'Tontine <no-reply@tontine.example>' };
    const sms = {
      SMS_URL: 'https://sms.example/send',
      SMS_HEADERS: '{"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic eA=="}',
      SMS_BODY: 'To={to}&Body={text}',
    };
    const settings = read({ ...KEY, ...smtp, ...sms });
    assert.deepEqual(settings.smtp, { url: smtp.SMTP_URL, from: smtp.SMTP_FROM });
    assert.equal(settings.sms?.headers['content-type'], 'application/x-www-form-urlencoded');
    const channels = openChannels(settings);
    assert.deepEqual([...channels.keys()], ['email', 'sms']);
    for (const channel of channels.values()) channel.close();
  });

  it('are refused in one line that does not repeat them', () => {
    const mail = { SMTP_URL: 'smtp://mail.example', SMTP_FROM: 'no-reply@tontine.example' };
    const wrong = [
      {},
      { REMINDERS_CODE_KEY: 'short-secret' },
      { ...KEY, ...mail, SMTP_URL: 'https://secret@mail.example' },
      { ...KEY, SMTP_URL: 'smtp://user:secret@mail.example' },
      { ...KEY, ...mail, SMTP_FROM: 'secret' },
      { ...KEY, ...mail, SMTP_FROM: 'Tontine\r\nBcc: secret <no-reply@tontine.example>' },
      { ...KEY, SMS_URL: 'ftp://secret.example' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_HEADERS: '{"Authorization": ["secret"]}' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_BODY: '{"secret": "{text}"}' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_BODY: '{"to": {to}, "text": {text}}' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_HEADERS: '{"Content-Type": "application/soap"}' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_HEADERS: '{"Content-Type": "text/html"}' },
      { ...KEY, SMS_URL: 'https://sms.example', SMS_HEADERS: '{"Content-Length": "3"}' },
    ];
    for (const env of wrong) {
      assert.throws(
        () => read(env),
        (error: Error) =>
          error.name === 'StartupError' &&
          /^[^\n]*\.$/.test(error.message) &&
          !error.message.includes('secret@') &&
          !/secret"|: secret/.test(error.message),
        JSON.stringify(env),
      );
    }
  });

  it('have the credentials of the SMS gateway in its headers, as no request can be sent to a URL with them', () => {
    for (const user of ['user:secret@', 'user@', ':secret@']) {
      assert.throws(() => read({ ...KEY, SMS_URL: `https://${user}sms.example/send` }), {
        name: 'StartupError',
        message: /^SMS_URL must be [^\n]*Authorization[^\n]*SMS_HEADERS[^\n]*\.$/,
      });
    }
  });
});
