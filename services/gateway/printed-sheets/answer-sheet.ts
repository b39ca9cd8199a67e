import { printSheet, type MeetingForm } from '../../../lib/contracts/contribution.ts';
import { answerPage } from '../http/answer.ts';
import { preferredLanguage } from '../http/head.rules.ts';
import type { Ask, EndpointCall, Request, Response } from '../http/request.ts';
import { fileDisposition } from '../statements/file-name.view.ts';
import { formTexts } from './form.view.ts';
import { minutesTexts } from './minutes.view.ts';
import { SHEET_WORDS } from './sheet-words.view.ts';

/** Answers with the form of a meeting or with its minutes as PDF, in the client's language. */
export async function answerSheet(ask: Ask, call: EndpointCall, request: Request, response: Response): Promise<void> {
  const language = preferredLanguage(request.headers['accept-language']);
  const form = (await ask(printSheet.name, call)) as MeetingForm;
  const { association, meeting, minutes } = form;
  const words = minutes === null ? SHEET_WORDS[language] : SHEET_WORDS[language].minutes;
  // The layout and its fonts are loaded at the first request, as few need them.
  const { sheetPdf } = await import('./document.ts');
  answerPage(request, response, {
    contentType: 'application/pdf',
    body: await sheetPdf(minutes === null ? formTexts(form, language) : minutesTexts(form, minutes, language)),
    headers: {
      Vary: 'Accept-Language',
      'Content-Language': language,
      'Content-Disposition': fileDisposition(words, [association.name, meeting.title ?? ''], [meeting.due_on], 'pdf'),
    },
  });
}
