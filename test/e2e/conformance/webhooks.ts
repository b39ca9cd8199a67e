import type { HttpClient, Json } from '../../harness/http.ts';
import { onFileEnd } from '../../harness/file-end.ts';
import type { TestMember } from '../../harness/test-member.ts';
import { acceptingReceiver } from '../../harness/webhook-receiver.ts';

/** A valid endpoint that no test receives anything at. */
export const SELDOM = { url: 'http://127.0.0.1:9/nothing', types: ['association.closed'] };

/** Endpoints of all associations, which would go on getting events of other tests. */
const ofAll: { by: HttpClient; path: string }[] = [];

onFileEnd(async () => {
  for (const { by, path } of ofAll.splice(0)) await by.send('DELETE', path);
});

/**
 * Creates an endpoint of the association and one of all associations, each with a delivery that is accepted.
 * @returns their ids, by the keys of path parameters
 */
export async function makeWebhooks(president: TestMember, operator: HttpClient): Promise<Record<string, string>> {
  const own = await makeWebhook(president.http, `${president.path}/webhooks`);
  const global = await makeGlobalWebhook(operator);
  return { ...own, global_webhook_id: global.webhook_id, global_delivery_id: global.delivery_id };
}

/** Creates an endpoint of all associations, which is deleted when the file ends. */
export async function makeGlobalWebhook(operator: HttpClient): Promise<MadeWebhook> {
  const made = await makeWebhook(operator, '/webhooks');
  ofAll.push({ by: operator, path: `/webhooks/${made.webhook_id}` });
  return made;
}

interface MadeWebhook {
  webhook_id: string;
  delivery_id: string;
}

/** Creates an endpoint with a delivery. */
export async function makeWebhook(by: HttpClient, path: string, body: Json = {}): Promise<MadeWebhook> {
  const { url } = await acceptingReceiver();
  const { id } = await by.created(path, { ...SELDOM, url, ...body });
  const { id: delivery_id } = await by.okPost(`${path}/${id as string}/ping`, {});
  return { webhook_id: id as string, delivery_id: delivery_id as string };
}
