/** E-mail by SMTP (RFC 5321). */
import { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import type { Outcome } from '../messages/messages.rules.ts';
import { layOutMail } from '../texts/mail.view.ts';
import type { Sender } from './channels.ts';

/** As many as the usual mail servers allow from one address. */
const CONNECTIONS_MAX = 3;

/** Each step of an attempt ends within this time, so that an attempt ends before its lease. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Mail servers check a message before they accept it. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Servers close idle connections soon; after it, none is sent over a connection that may be closed. */
const IDLE_MAX_MS = 5_000;

/** The members of the library's errors. */
interface SmtpError {
  code?: string;
  command?: string;
  responseCode?: number;
}

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with credentials if the server needs them. */
  url: string;
  /** An address, or a name with an address in angle brackets. */
  from: string;
}

/** Returns the sender of e-mail. It connects when there is something to send. */
export function smtpSender({ url, from }: SmtpSettings): Sender {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    // A message is never repeated here: that is decided where it is known whether the server may have accepted it.
    maxRequeues: 0,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    idleTimeout: IDLE_MAX_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', (mail, done) => {
    const { message, data } = mail as unknown as { message: MailStream; data: { beforeContent: () => Promise<void> } };
    const content = message.createReadStream.bind(message);
    message.createReadStream = () => lazyContent(data.beforeContent, content);
    done();
  });
  const domain = from.slice(from.lastIndexOf('@') + 1).replaceAll('>', '');
  return {
    async send({ message_id, to, message, handOver }) {
      const { subject, text, html } = layOutMail(message);
      let isHandedOver = false;
      const beforeContent = async () => {
        isHandedOver = await handOver();
        if (!isHandedOver) throw new Error('the lease of the message has ended');
      };
      const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
      const mail = { from, to: { name: '', address: to }, subject, text, html, headers, beforeContent };
      try {
        await transport.sendMail({ ...mail, messageId: `<${message_id}@${domain}>`, textEncoding: 'quoted-printable' });
        return { kind: 'sent' };
      } catch (error) {
        return outcomeOf(error as SmtpError, isHandedOver);
      }
    },
    close: () => {
      transport.close();
    },
  };
}

interface MailStream {
  createReadStream(): Readable;
}

/**
 * Returns the content of a mail as a stream that is first read when the server has accepted sender and recipient, and waits for
 * the content: only then may it accept the message.
 */
function lazyContent(before: () => Promise<void>, content: () => Readable): Readable {
  async function* parts(): AsyncGenerator<Buffer> {
    await before();
    for await (const part of content()) yield part as Buffer;
  }
  return Readable.from(parts(), { objectMode: false });
}

/** Says what an error means for the message. The server's words are left out, as they may contain the address. */
function outcomeOf({ code = 'other', command, responseCode = 0 }: SmtpError, isHandedOver: boolean): Outcome {
  const cause = [code, command, responseCode === 0 ? undefined : String(responseCode)].filter(Boolean).join(' ');
  // An answer to the content: 4xx and 5xx say that the server has not accepted it.
  const isAnswer = responseCode >= 400;
  if (isHandedOver && !isAnswer) return { kind: 'unknown', cause };
  // ESTREAM: the lease of the message had ended.
  const isAboutMessage = ['EENVELOPE', 'EMESSAGE', 'ESTREAM'].includes(code);
  if (isAboutMessage && responseCode >= 500) return { kind: 'refused' };
  return { kind: 'retry', isChannelDown: !isAboutMessage, cause };
}
