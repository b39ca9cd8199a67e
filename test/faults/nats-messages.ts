import { openTcpProxy, type ProxiedConnection, type TcpProxy } from '../harness/tcp-proxy.ts';

/** A message that a process publishes. */
export interface Published {
  subject: string;
  /** The whole message in NATS's protocol, with its header line. */
  bytes: Buffer;
}

/** Decides what happens with a published message; it must pass on what the server should get. */
export type InterceptMessage = (message: Published, connection: ProxiedConnection) => void;

/** The connections of a process to one NATS server. */
export interface NatsLink {
  proxy: TcpProxy;
  /** Gives each published message to `intercept` instead of the server; undefined ends this. */
  intercept(intercept: InterceptMessage | undefined): void;
}

const LINE_END = '\r\n';
const PUBLISH = /^H?PUB (\S+) (?:.* )?(\d+)$/;

/** Opens a proxy that knows where the messages of its clients begin and end. */
export async function openNatsLink(server_url: string): Promise<NatsLink> {
  const proxy = await openTcpProxy(server_url);
  let interceptor: InterceptMessage | undefined;
  const unread = new WeakMap<ProxiedConnection, Buffer>();
  proxy.intercept((bytes, connection) => {
    const rest = unread.get(connection);
    const all = rest === undefined || rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const { messages, used } = readMessages(all);
    unread.set(connection, all.subarray(used));
    if (interceptor === undefined) {
      // One write, as the client has made one.
      if (used > 0) connection.pass(all.subarray(0, used));
      return;
    }
    for (const message of messages) {
      if (message.subject === '') connection.pass(message.bytes);
      else interceptor(message, connection);
    }
  });
  return { proxy, intercept: (intercept) => void (interceptor = intercept) };
}

/** Splits what a client has sent into messages. Those without a subject are other lines of the protocol. */
export function readMessages(bytes: Buffer): { messages: Published[]; used: number } {
  const messages: Published[] = [];
  let used = 0;
  for (;;) {
    const line_end = bytes.indexOf(LINE_END, used);
    if (line_end < 0) return { messages, used };
    const [, subject = '', size = ''] = PUBLISH.exec(bytes.toString('latin1', used, line_end)) ?? [];
    const end = line_end + LINE_END.length + (subject === '' ? 0 : Number(size) + LINE_END.length);
    if (end > bytes.length) return { messages, used };
    messages.push({ subject, bytes: bytes.subarray(used, end) });
    used = end;
  }
}
