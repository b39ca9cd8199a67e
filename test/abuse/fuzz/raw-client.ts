/** Sends bytes over a connection of their own, and reads what the server answers until it closes the connection. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Names are in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Longer than the server takes to drop the rest of a body that is too large, on a busy machine. */
const CLOSE_MAX_MS = 20_000;

/**
 * Sends the bytes.
 * @param endsEarly whether this side of the connection ends after the bytes
 * @returns the answers; one that is cut off is left out
 * @throws Error if the server keeps the connection open
 */
export async function sendRaw(port: number, bytes: Buffer, endsEarly: boolean): Promise<RawAnswer[]> {
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that refuses while the rest is being sent resets the connection.
  socket.on('error', () => undefined);
  if (endsEarly) socket.end(bytes);
  else socket.write(bytes);
  await closed(socket);
  return [...answersIn(Buffer.concat(chunks))];
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('the connection stays open'));
      socket.destroy();
    }, CLOSE_MAX_MS);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns the answers in what the server has sent. One without a Content-Length ends with the connection. */
function* answersIn(bytes: Buffer): Generator<RawAnswer> {
  for (let rest = bytes; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return;
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(line.split(' ')[1]);
    const headers = Object.fromEntries(
      lines.map((each) => [each.split(':', 1)[0]!.toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
    );
    const isChunked = headers['transfer-encoding'] !== undefined;
    const length = status < 200 ? 0 : isChunked ? rest.length - end - 4 : Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    rest = rest.subarray(end + 4 + length);
    if (body.length < length) return;
    // 100 Continue announces the answer.
    if (status >= 200) yield { status, headers, body: body.toString() };
  }
}
