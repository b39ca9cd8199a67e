import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { CertificateFiles } from './certificates.ts';

/** A server that pretends to be another, and records what clients send. */
export interface RecordingServer {
  port: number;
  /** Returns what clients have sent in the clear. */
  clear(): Buffer;
  /** Returns what clients have sent through TLS, deciphered. */
  deciphered(): Buffer;
  stop(): Promise<void>;
}

/** How a server behaves before TLS begins. */
export interface Greeting {
  /** What it sends at first. */
  hello?: string;
  /** What it answers to the first message of a client. */
  answer?: string;
}

/** Starts a server on localhost; with a certificate, TLS follows the greeting. */
export async function startRecordingServer(
  { hello, answer }: Greeting,
  certificate?: CertificateFiles,
): Promise<RecordingServer> {
  const clear: Buffer[] = [];
  const deciphered: Buffer[] = [];
  const sockets = new Set<Socket>();
  const files =
    certificate === undefined
      ? undefined
      : { cert: await readFile(certificate.cert), key: await readFile(certificate.key) };
  const beginTls = (socket: Socket): void => {
    if (files === undefined) return;
    const secure = new TLSSocket(socket, { isServer: true, ...files });
    // The client leaves.
    secure.on('error', () => undefined).on('data', (data: Buffer) => deciphered.push(data));
  };
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    if (hello !== undefined) {
      socket.write(hello);
      if (files === undefined) socket.on('data', (data) => clear.push(data));
      else beginTls(socket);
      return;
    }
    socket.once('data', (data) => {
      clear.push(data);
      if (answer !== undefined) socket.write(answer);
      if (files === undefined) socket.on('data', (more) => clear.push(more));
      else beginTls(socket);
    });
  });
  await once(server.listen(0, 'localhost'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    clear: () => Buffer.concat(clear),
    deciphered: () => Buffer.concat(deciphered),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
