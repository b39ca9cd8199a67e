import { connect, type Socket } from 'node:net';
import { API_BASE } from '../../../lib/contracts/api.ts';

const DRIP_MS = 1_000;

/** The beginnings of requests that never end, and what drips after them. */
const BEGINNINGS: readonly (readonly [begin: string, drip: string])[] = [
  ['', ''],
  ['GET', ''],
  [`POST ${API_BASE}/associations HTTP/1.1\r\nHost: x\r\n`, 'X: y\r\n'],
  [`POST ${API_BASE}/associations HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{`, ' '],
  [`POST ${API_BASE}/associations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
];

export interface SlowConnections {
  /** Returns how many connections the server has not closed. */
  open(): number;
  /** Closes them. */
  stop(): void;
}

/** Opens connections that send a byte now and then. @param token of the requests with a body */
export function openSlowConnections(port: number, count: number, token: string): SlowConnections {
  const sockets = Array.from({ length: count }, (_, index) => {
    const [begin, drip] = BEGINNINGS[index % BEGINNINGS.length]!;
    return slowly(
      port,
      begin.replace('Host: x', `Host: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}`),
      drip,
    );
  });
  return {
    open: () => sockets.filter(({ closed }) => !closed).length,
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function slowly(port: number, begin: string, drip: string): Socket {
  const socket = connect(port, '127.0.0.1');
  // Its answer is not looked at. Without reading it, its end would not be noticed.
  socket.resume().on('error', () => undefined);
  if (begin !== '') socket.write(begin);
  const timer = setInterval(() => {
    if (drip !== '' && socket.writable) socket.write(drip);
  }, DRIP_MS);
  socket.on('close', () => clearInterval(timer));
  return socket;
}
