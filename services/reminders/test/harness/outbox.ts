/** A mail server and an SMS gateway that keep what they get, and misbehave as a test says. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { SmsSettings } from '../../src/channels/sms.ts';

/** What the mail server does with the next messages: answers to a command, or silence. */
export interface MailRules {
  /** Answers to RCPT TO with this code. */
  refuse_recipient?: number | undefined;
  /** Answers to the content with this code. */
  refuse_content?: number | undefined;
  /** Takes the content, and closes the connection without an answer. */
  closes?: boolean;
  /** Answers to the content after this time. */
  answers_after_ms?: number;
}

export interface MailServer {
  url: string;
  mails: ParsedMail[];
  /** The recipients of the envelopes, in order. */
  recipients: string[];
  rules: MailRules;
  stop(): Promise<void>;
}

const withCode = (code: number) => Object.assign(new Error('refused for <awa@example.com>'), { responseCode: code });

export async function startMailServer(port = 0): Promise<MailServer> {
  const state: Pick<MailServer, 'mails' | 'recipients' | 'rules'> = { mails: [], recipients: [], rules: {} };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'tontine' && password === 'p@ss:word') done(null, { user: username });
      else done(new Error('wrong'));
    },
    onRcptTo: (_address, _session, done) => {
      const { refuse_recipient } = state.rules;
      done(refuse_recipient === undefined ? null : withCode(refuse_recipient));
    },
    onData: (stream, session, done) => {
      const { refuse_content, closes, answers_after_ms = 0 } = state.rules;
      simpleParser(stream).then(
        (mail) => {
          if (refuse_content !== undefined) {
            done(withCode(refuse_content));
            return;
          }
          state.mails.push(mail);
          state.recipients.push(...session.envelope.rcptTo.map(({ address }) => address));
          if (closes !== true) setTimeout(done, answers_after_ms);
          else for (const { id, _socket } of server.connections) if (id === session.id) _socket.destroy();
        },
        (error: unknown) => {
          done(error as Error);
        },
      );
    },
  });
  // Connections that a test ends are no failure.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: own } = server.server.address() as AddressInfo;
  return Object.assign(state, {
    url: `smtp://127.0.0.1:${String(own)}`,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  });
}

export interface SmsGateway {
  url: string;
  requests: { headers: Record<string, unknown>; body: string }[];
  /** The answers to the next requests; `hang_up` takes the request and closes the connection. */
  answers: (number | 'hang_up')[];
  stop(): Promise<void>;
}

/** Returns the settings of SMS that are sent as JSON to this URL. */
export const smsByJson = (url: string): SmsSettings => ({
  url,
  headers: { 'content-type': 'application/json' },
  kind: 'json',
  body: '{"to":"{to}","text":"{text}"}',
});

export async function startSmsGateway(): Promise<SmsGateway> {
  const requests: SmsGateway['requests'] = [];
  const answers: SmsGateway['answers'] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      const answer = answers.shift() ?? 200;
      if (answer === 'hang_up') request.socket.destroy();
      else response.writeHead(answer, { 'retry-after': '120' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/messages`,
    requests,
    answers,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
