/** SMS by the HTTP interface of a gateway. */
import type { Outcome } from '../messages/messages.rules.ts';
import type { Sender } from './channels.ts';
import { bodyKindOf, fillTemplate } from './sms-template.rules.ts';

/** Gateways ask the network first. With it, an attempt ends long before its lease. */
const ANSWER_TIMEOUT_MS = 30_000;

/** A longer wait in `Retry-After` is not believed. */
const RETRY_AFTER_MAX_S = 3_600;

export interface SmsSettings {
  url: string;
  /** With lower-case names. */
  headers: Record<string, string>;
  /** With `{to}`, `{text}` and, if the gateway knows repeated requests by it, `{id}`. */
  body: string;
}

const CONTENT_TYPE = 'content-type';

/** What a failed connection says if the request was certainly not sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Returns the sender of SMS. */
export function smsSender({ url, headers, body }: SmsSettings): Sender {
  const kind = bodyKindOf(headers[CONTENT_TYPE] ?? '');
  return {
    async send({ message_id, to, message, handOver }) {
      const values = { to, text: message.sms, id: message_id };
      const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{id}', message_id)]);
      const request = {
        method: 'POST',
        headers: Object.fromEntries(filled) as Record<string, string>,
        body: fillTemplate(body, values, kind),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      } as const;
      // The lease has ended: another process decides.
      if (!(await handOver())) return { kind: 'retry', isChannelDown: false, cause: 'lease ended' };
      try {
        const response = await fetch(url, request);
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (error) {
        return outcomeOfFault(error as { cause?: { code?: string }; name?: string });
      }
    },
    close: () => undefined,
  };
}

function outcomeOf({ status, headers }: Response): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const cause = `HTTP ${String(status)}`;
  // The gateway says that it has not taken the message, and will take it later.
  if (status === 429 || status === 503) {
    const seconds = Number(headers.get('retry-after') ?? '');
    const after_ms = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_S) * 1_000 : 0;
    return { kind: 'retry', after_ms, isChannelDown: true, cause };
  }
  // Wrong credentials or a wrong URL are a mistake in the settings, not of the message.
  if ([401, 403, 404, 405].includes(status)) return { kind: 'retry', isChannelDown: true, cause };
  return status < 500 ? { kind: 'refused' } : { kind: 'unknown', cause };
}

function outcomeOfFault({ cause, name }: { cause?: { code?: string }; name?: string }): Outcome {
  const code = cause?.code ?? name ?? 'other';
  return NOT_SENT.has(code) ? { kind: 'retry', isChannelDown: true, cause: code } : { kind: 'unknown', cause: code };
}
