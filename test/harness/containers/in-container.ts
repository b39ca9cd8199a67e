/** Programs that a test runs in a service's container, with the image's Node: the ports are not published. */

/** Prints what a process answers on its metrics port, as JSON. */
export const READ_PROBES = `
  const read = async (path) => {
    const answer = await fetch('http://127.0.0.1:' + process.env.METRICS_PORT + path);
    return { status: answer.status, body: await answer.text() };
  };
  const [live, ready, metrics] = await Promise.all(['/health/live', '/health', '/metrics'].map(read));
  console.log(JSON.stringify({ live, ready, metrics }));`;

export type Probes = Record<'live' | 'ready' | 'metrics', { status: number; body: string }>;

/** Publishes to the subject of its argument with the login of the container, and prints the server's error or nothing. */
export const PUBLISH = `
  import { readFileSync } from 'node:fs';
  import { connect } from 'nats';
  const [login, subject] = process.argv.slice(1);
  const pass = readFileSync(process.env.NATS_PASSWORD_FILE, 'utf8').trimEnd();
  const connection = await connect({ servers: process.env.NATS_URL.split(','), user: login, pass });
  void (async () => {
    for await (const { type, data } of connection.status()) if (type === 'error') console.log(String(data));
  })();
  connection.publish(subject);
  // The error precedes the answer to the ping of flush().
  await connection.flush();
  await connection.close();`;
