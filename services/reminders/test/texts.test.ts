import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MESSAGE_TYPES, type MessageType } from '../src/message-types.rules.ts';
import { amountInWords } from '../src/texts/amounts.view.ts';
import { longDay } from '../src/texts/dates.view.ts';
import { LANGUAGES, type Language } from '../src/texts/languages.rules.ts';
import { layOutMail } from '../src/texts/mail.view.ts';
import { oneLine } from '../src/texts/names.rules.ts';
import { fitSms, inGsm7, isGsm7, SMS_MAX_CHARACTERS, smsLength } from '../src/texts/sms.view.ts';
import { WORDS, writeMessage, type OccasionFacts } from '../src/texts/texts.view.ts';

const GROUP = { name: 'Njangi of Bonamoussadi', currency: 'XAF', time_zone: 'Africa/Douala' };
const FACTS: OccasionFacts = {
  due_on: '2026-10-05',
  amount_minor: 10_000,
  subject_type: 'cash_deposit',
  expires_at: '2026-10-19T18:30:00.000Z',
  from_role: 'member',
  to_role: 'treasurer',
  reason: 'reset',
  url_host: 'hooks.example.com',
  channel: 'email',
  change: 'replaced',
};
const PERSONAL: readonly MessageType[] = ['pin_changed', 'webhook_disabled', 'confirm_address', 'address_changed'];

function write(type: MessageType, language: Language, changes: { name?: string; facts?: OccasionFacts } = {}) {
  const group = PERSONAL.includes(type) ? null : { ...GROUP, name: changes.name ?? GROUP.name };
  const facts = { ...FACTS, ...changes.facts };
  return writeMessage({ type, facts, group, days_left: 3, code: { digits: '482913', minutes: 15 } }, language);
}

/** With plain blanks, so that the expectations are readable. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('amounts', () => {
  const written = [
    [10_000, 'XAF', 'FCFA 10,000', '10 000 FCFA'],
    [1_234_567, 'XOF', 'F CFA 1,234,567', '1 234 567 F CFA'],
    [1_250_000, 'NGN', '₦12,500.00', '12 500,00 ₦'],
    // Intl has no symbol for it in these languages.
    [1_250_000, 'KES', 'KES 12,500.00', '12 500,00 KES'],
    [123_450, 'GHS', 'GH₵1,234.50', '1 234,50 GH₵'],
    [123_450, 'EUR', '€1,234.50', '1 234,50 €'],
    [5_000, 'USD', '$50.00', '50,00 $'],
    [1_500, 'TND', 'TND 1.500', '1,500 TND'],
  ] as const;

  it('are written as people write them in the language', () => {
    for (const [amount_minor, currency, english, french] of written) {
      assert.equal(plain(amountInWords(amount_minor, currency, 'en')), english);
      assert.equal(plain(amountInWords(amount_minor, currency, 'fr')), french);
    }
  });

  it('are the same in an SMS, with the code of the currency if an SMS cannot show its symbol', () => {
    const others: Record<string, readonly [string, string]> = {
      NGN: ['NGN 12,500.00', '12 500,00 NGN'],
      GHS: ['GHS 1,234.50', '1 234,50 GHS'],
    };
    for (const [amount_minor, currency, ...mail] of written) {
      for (const [index, language] of LANGUAGES.entries()) {
        const group = { ...GROUP, currency };
        const facts = { ...FACTS, amount_minor };
        const { sms, piece } = writeMessage({ type: 'distribution_paid', facts, group, days_left: 0 }, language);
        assert.equal(plain(piece.highlight ?? ''), mail[index]);
        const expected = others[currency]?.[index] ?? mail[index] ?? '';
        assert.ok(sms.includes(` ${expected} `), `${currency} ${language}: ${sms}`);
      }
    }
  });

  it('have a code in an SMS even if only an accent of the symbol is missing', () => {
    assert.equal(plain(amountInWords(5_000, 'CZK', 'en', isGsm7)), 'CZK 50.00');
    assert.equal(plain(amountInWords(5_000, 'CZK', 'en')), 'Kč 50.00');
  });

  it('have the decimals of ISO 4217, also where Intl has none', () => {
    assert.equal(plain(amountInWords(100_050, 'ALL', 'en')), 'ALL 1,000.50');
  });
});

describe('days', () => {
  it('are written in full, with the French first of a month', () => {
    assert.equal(longDay('2026-06-01', 'en'), 'Monday, 1 June 2026');
    assert.equal(longDay('2026-06-01', 'fr'), 'lundi 1er juin 2026');
    assert.equal(longDay('2026-06-11', 'fr'), 'jeudi 11 juin 2026');
  });
});

describe('texts', () => {
  it('exist for every type in both languages, and use all that they mention', () => {
    for (const language of LANGUAGES) {
      for (const type of MESSAGE_TYPES) {
        const message = write(type, language);
        const { subject, text, html } = layOutMail(message);
        for (const part of [subject, text, message.sms]) {
          assert.doesNotMatch(part, /undefined|null|NaN|[{}]|“”|« +»/, `${language} ${type}`);
        }
        assert.ok(html.includes(`<html lang="${language}">`));
      }
    }
  });

  it('say the same in text and in HTML', () => {
    for (const type of MESSAGE_TYPES) {
      const { text, html } = layOutMail(write(type, 'fr'));
      const words = html.replace(/<style>[^]*<\/style>|<title>.*<\/title>|<[^>]+>/g, ' ').replaceAll('&#39;', "'");
      for (const word of text
        .replace('-- ', '')
        .split(/[\s:]+/)
        .filter(Boolean))
        assert.ok(words.includes(word), word);
    }
  });

  it('name amount, day and group of a due', () => {
    const { piece, sms } = write('due_soon', 'en');
    assert.equal(plain(piece.subject), 'FCFA 10,000 due in 3 days: Njangi of Bonamoussadi');
    assert.equal(sms, 'Njangi of Bonamoussadi: FCFA 10,000 is due on 5 Oct 2026.');
    const french = write('due_late', 'fr');
    assert.equal(plain(french.piece.subject), '10 000 FCFA en retard : Njangi of Bonamoussadi');
    assert.equal(
      plain(layOutMail(french).text).split('\n\n').slice(0, 3).join('\n'),
      'Votre cotisation est en retard\n' +
        'Pour la réunion de « Njangi of Bonamoussadi » du lundi 5 octobre 2026, cette somme n’a pas été payée :\n' +
        '10 000 FCFA',
    );
  });

  it('say what is voted on and until when, in the subject, the mail and the SMS', () => {
    const english = write('vote_waiting', 'en', { facts: { subject_type: 'motion' } });
    assert.equal(english.piece.subject, 'Your vote is needed on a motion: Njangi of Bonamoussadi');
    assert.deepEqual(english.piece.paragraphs, [
      'In “Njangi of Bonamoussadi” the board decides on a motion, and your vote is missing.',
    ]);
    assert.deepEqual(english.piece.rows.slice(0, 2), [
      ['Decision', 'a motion'],
      ['Until', 'Monday, 19 October 2026 at 19:30 GMT+1'],
    ]);
    assert.equal(english.sms, 'Njangi of Bonamoussadi: your vote is needed on a motion until 19 Oct, 19:30.');
    const french = write('vote_waiting', 'fr', { facts: { subject_type: 'rules_change' } });
    assert.equal(
      plain(french.piece.subject),
      'Votre vote est attendu sur un changement des règles : Njangi of Bonamoussadi',
    );
    assert.equal(
      french.sms,
      "Njangi of Bonamoussadi : votre vote est attendu sur un changement des règles jusqu'au 19 oct., 19:30.",
    );
  });

  it('say it differently for each type of request that the board decides on', () => {
    for (const language of LANGUAGES) {
      const types = Object.keys(WORDS[language].subjects);
      const written = types.map((subject_type) => write('vote_waiting', language, { facts: { subject_type } }));
      assert.equal(new Set(written.map(({ piece }) => piece.subject)).size, types.length);
      assert.equal(new Set(written.map(({ sms }) => sms)).size, types.length);
    }
  });

  it('tell votes apart that end at different times', () => {
    const [one, other] = ['2026-10-19T18:30:00.000Z', '2026-10-19T18:31:00.000Z'].map((expires_at) =>
      write('vote_waiting', 'en', { facts: { expires_at } }),
    );
    assert.notEqual(one?.sms, other?.sms);
    assert.notDeepEqual(one?.piece.rows, other?.piece.rows);
  });

  it('show values that have no word yet as they are', () => {
    const { piece } = write('vote_waiting', 'en', { facts: { subject_type: 'new_thing' } });
    assert.match(piece.paragraphs[0] ?? '', /decides on new thing/);
  });

  it('ask for a vote also if neither what it is about nor its end is known', () => {
    const content = { type: 'vote_waiting', facts: {}, group: GROUP, days_left: 0 } as const;
    const { piece, sms } = writeMessage(content, 'en');
    assert.equal(piece.subject, 'Your vote is needed on a request: Njangi of Bonamoussadi');
    assert.deepEqual(
      piece.rows.map(([label]) => label),
      ['Decision', 'Group'],
    );
    assert.equal(sms, 'Njangi of Bonamoussadi: your vote is needed on a request.');
    assert.equal(writeMessage(content, 'fr').sms, 'Njangi of Bonamoussadi : votre vote est attendu sur une demande.');
  });

  it('have the same parts in both languages', () => {
    for (const type of MESSAGE_TYPES) {
      const [english, french] = LANGUAGES.map((language) => write(type, language).piece);
      assert.equal(english?.paragraphs.length, french?.paragraphs.length, type);
      assert.equal(english?.rows.length, french?.rows.length, type);
    }
    assert.deepEqual(Object.keys(WORDS.en.subjects), Object.keys(WORDS.fr.subjects));
  });
});

describe('names of others', () => {
  const hostile = 'Njangi\r\nBcc: all@example.com\u202e<script>alert(1)</script> "&\' \u2028 end';

  it('are one line, without marks that reverse text', () => {
    assert.equal(oneLine('a\r\nb\u2028c\u202ed\u0000e'), 'a b c d e');
    assert.equal(Array.from(oneLine('é'.repeat(200))).length, 60);
  });

  it('cannot add anything to a subject, a page or an SMS', () => {
    for (const language of LANGUAGES) {
      const message = write('due_soon', language, { name: hostile });
      const { subject, text, html } = layOutMail(message);
      assert.doesNotMatch(subject, /[\r\n\u202e\u2028]/);
      assert.doesNotMatch(html, /<script|"&'|\u202e/);
      assert.ok(html.includes('&lt;script&gt;'));
      assert.doesNotMatch(text + message.sms, /^Bcc/m);
    }
  });
});

describe('SMS', () => {
  it('are written in the alphabet of 160 characters', () => {
    assert.equal(
      inGsm7('Où êtes-vous ? L’œuvre “déjà” reçue – 10\u202f000 €'),
      'Où etes-vous ? L\'oeuvre "déjà" recue - 10 000 €',
    );
    assert.equal(inGsm7('Tontine 🎉 مجموعة'), 'Tontine');
  });

  it('count the characters that take the place of two', () => {
    assert.equal(smsLength('a€'), 3);
  });

  it('fit into one, whatever the group is called', () => {
    const names = [
      GROUP.name,
      'x'.repeat(120),
      '€'.repeat(120),
      'Groupe d’épargne '.repeat(8),
      'مجموعة',
      '🎉'.repeat(120),
    ];
    const url_host = `${'a'.repeat(240)}.example`;
    const others = { url_host, other_hosts: Array.from({ length: 19 }, () => url_host) };
    const largest = { amount_minor: 999_999_999_999_999, url_host };
    for (const language of LANGUAGES) {
      for (const name of names) {
        for (const type of MESSAGE_TYPES) {
          for (const facts of [largest, { ...largest, ...others }]) {
            const { sms } = write(type, language, { name, facts });
            assert.ok(smsLength(sms) <= SMS_MAX_CHARACTERS, `${type} ${language}: ${sms}`);
            assert.equal(inGsm7(sms), sms);
          }
        }
      }
    }
  });

  it('cut a long name, and name any group if it has no letter that can be written', () => {
    assert.match(
      fitSms((group) => `${group}: ${'y'.repeat(140)}`, 'Groupe de Bonamoussadi', 'your group'),
      /^Groupe de B.*\.\.: y/,
    );
    assert.match(write('due_today', 'fr', { name: 'مجموعة' }).sms, /^votre groupe : 10 000 FCFA/);
  });
});
