/** SMS by the HTTP interface of a gateway. */
import type { Outcome } from '../messages/messages.rules.ts';
import type { Sender } from './channels.ts';
import { fillTemplate, type BodyKind, type SmsValues } from './sms-template.rules.ts';

/** Gateways ask the network first. With it, an attempt ends long before its lease. */
const ANSWER_TIMEOUT_MS = 30_000;

/** A longer wait in `Retry-After` is not believed. */
const RETRY_AFTER_MAX_S = 3_600;

export interface SmsSettings {
  url: string;
  /** With lower-case names. */
  headers: Record<string, string>;
  /** How values are written into the body, as the content type in the headers requires. */
  kind: BodyKind;
  /** With `{to}`, `{text}` and, if the gateway knows repeated requests by it, `{id}`. */
  body: string;
}

/** Says that fetch connects to no such port. This error has no code. */
const BAD_PORT = 'bad port';

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
  BAD_PORT,
]);

/** Returns the sender of SMS. */
export function smsSender(settings: SmsSettings): Sender {
  return {
    async send({ message_id, to, message, handOver }) {
      let request: Request;
      try {
        request = requestFor(settings, { to, text: message.sms, id: message_id });
      } catch (error) {
        // A mistake in the settings: nothing is handed over until it is corrected.
        return { kind: 'retry', isChannelDown: true, cause: (error as Error).name };
      }
      // The lease has ended: another process decides.
      if (!(await handOver())) return { kind: 'retry', isChannelDown: false, cause: 'lease ended' };
      try {
        const response = await fetch(request);
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (error) {
        return outcomeOfFault(error as Fault);
      }
    },
    close: () => undefined,
  };
}

/** @throws TypeError if the settings make no request */
function requestFor({ url, headers, kind, body }: SmsSettings, values: SmsValues): Request {
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{id}', values.id)]);
  return new Request(url, {
    method: 'POST',
    headers: Object.fromEntries(filled) as Record<string, string>,
    body: fillTemplate(body, values, kind),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
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

interface Fault {
  name?: string;
  cause?: { code?: string; message?: string };
}

function outcomeOfFault({ cause, name }: Fault): Outcome {
  const code = cause?.message === BAD_PORT ? BAD_PORT : (cause?.code ?? name ?? 'other');
  return NOT_SENT.has(code) ? { kind: 'retry', isChannelDown: true, cause: code } : { kind: 'unknown', cause: code };
}
