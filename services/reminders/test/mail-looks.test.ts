import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { MESSAGE_TYPES, type MessageType } from '../src/message-types.rules.ts';
import { LANGUAGES, type Language } from '../src/texts/languages.rules.ts';
import { layOutMail } from '../src/texts/mail.view.ts';
import { writeMessage } from '../src/texts/texts.view.ts';

/** Chromium as Debian, some other distributions and Google name it. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = (process.env['PATH'] ?? '').split(delimiter);
const executablePath = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
const skip =
  executablePath === undefined && 'there is no Chromium here: apt-get install --no-install-recommends chromium';

/** Where pictures are kept for people to look at; none by default. */
const PICTURES = process.env['MAIL_PICTURES'];

const LONG_NAME = 'Groupe d’épargne des commerçantes du marché central de Bonamoussadi et environs';
const HOSTILE_NAME = '<img src=x onerror="document.title=1"><b>"Njangi"</b>';
const WIDTHS = [360, 1_200];
/** WCAG 2.1, success criterion 1.4.3. */
const CONTRAST_MIN = 4.5;

function html(type: MessageType, language: Language, name: string): string {
  const isPersonal = ['pin_changed', 'webhook_disabled', 'confirm_address', 'address_changed'].includes(type);
  const group = isPersonal ? null : { name, currency: 'XAF', time_zone: 'Africa/Douala' };
  const facts = {
    ...{ due_on: '2026-10-05', amount_minor: 1_234_567, subject_type: 'cash_deposit', from_role: 'member' },
    ...{ expires_at: '2026-10-19T18:30:00.000Z', to_role: 'treasurer', reason: 'changed', channel: 'email' },
    url_host: `${'very-long-host-name-'.repeat(3)}.example.com`,
  };
  const code = { digits: '482913', minutes: 15 };
  return layOutMail(writeMessage({ type, facts, group, days_left: 3, code }, language)).html;
}

describe('mails in a browser', { skip }, () => {
  let browser: Browser;
  before(async () => {
    // Chromium's sandbox does not start as root, nor in most containers. The pages are this repository's own.
    browser = await chromium.launch({ executablePath: executablePath ?? '', chromiumSandbox: false });
    if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
  });
  after(() => browser.close());

  const open = (width: number, colorScheme: 'light' | 'dark'): Promise<Page> =>
    browser.newPage({ viewport: { width, height: 700 }, colorScheme });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of WIDTHS) {
      it(`fit into ${String(width)} pixels and can be read, ${colorScheme}`, async () => {
        const page = await open(width, colorScheme);
        for (const language of LANGUAGES) {
          for (const type of MESSAGE_TYPES) {
            await page.setContent(html(type, language, LONG_NAME));
            const seen = await page.evaluate(LOOK);
            assert.ok(seen.scroll_width <= width, `${type} ${language} is ${String(seen.scroll_width)} wide`);
            for (const { text, contrast, size } of seen.texts) {
              assert.ok(contrast >= CONTRAST_MIN, `${type}: “${text}” has a contrast of ${contrast.toFixed(2)}`);
              assert.ok(size >= 13, `${type}: “${text}” has ${String(size)} px`);
            }
            assert.ok(seen.texts.length >= 3);
            if (PICTURES !== undefined) {
              const name = `${type}-${language}-${String(width)}-${colorScheme}.png`;
              await page.screenshot({ path: join(PICTURES, name), fullPage: true });
            }
          }
        }
        await page.close();
      });
    }
  }

  it('show a hostile name as text', async () => {
    const page = await open(360, 'light');
    await page.setContent(html('due_soon', 'en', HOSTILE_NAME));
    assert.equal(await page.locator('img, b').count(), 0);
    assert.ok((await page.locator('body').innerText()).includes('<img src=x onerror='));
    assert.match(await page.title(), /^FCFA/);
    await page.close();
  });
});

/** Runs in the page: measures its width, and the contrast of each text with what is behind it. */
const LOOK = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (numbers(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.data.trim() === '') continue;
    const { color, fontSize } = getComputedStyle(node.parentElement);
    const [low, high] = [light(color), light(behind(node.parentElement))].sort((a, b) => a - b);
    texts.push({ text: node.data.trim(), contrast: (high + 0.05) / (low + 0.05), size: parseFloat(fontSize) });
  }
  return { scroll_width: document.documentElement.scrollWidth, texts };
})()` as unknown as () => {
  scroll_width: number;
  texts: { text: string; contrast: number; size: number }[];
};
