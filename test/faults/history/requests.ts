import type { Exchange, Json } from './exchange.ts';

/** A request with its repeats under the same key, which are one operation of the service. */
export interface Request {
  /** Names it in models and explanations: its place in the history. */
  id: string;
  user: string;
  /** For example `POST /wallets/:wallet/deposits`. */
  route: string;
  params: Record<string, string>;
  query: URLSearchParams;
  sent: Json;
  /** From the first call to the answer; Infinity if none came. */
  call: number;
  return: number;
  /** How many of the repeats had no answer. Each may have had an outcome of its own that is over: a refusal. */
  lost: number;
  /** 0 if the outcome is unknown: no answer, or a fault of the service. */
  status: number;
  /** The code of a refusal; otherwise empty. */
  code: string;
  received: Json;
}

/** The routes that change or show the objects that are checked. */
const ROUTES = [
  'GET /associations/:association/members',
  'GET /associations/:association/members/me',
  'DELETE /associations/:association/members/me',
  'POST /associations/:association/join',
  'POST /invitations/:code/accept',
  'POST /wallets/:wallet/deposits',
  'POST /wallets/:wallet/withdrawals',
  'GET /wallets/my',
  'GET /wallets/:wallet',
  'GET /associations/:association/ledger/head',
  'GET /associations/:association/ledger/export',
  'GET /associations/:association/meetings',
  'GET /associations/:association/meetings/:meeting',
  'PATCH /associations/:association/meetings/:meeting',
  'GET /associations/:association/meetings/:meeting/dues',
  'POST /associations/:association/meetings/:meeting/contribute',
  'GET /associations/:association/meetings/:meeting/contributions',
  'GET /associations/:association/meetings/:meeting/contributions/:contribution',
  'POST /associations/:association/meetings/:meeting/settle',
  'GET /associations/:association/meetings/:meeting/settlement',
  'POST /associations/:association/meetings/:meeting/cancel',
  'GET /associations/:association/meetings/:meeting/sheets',
  'GET /associations/:association/meetings/:meeting/sheets/:sheet',
  'PUT /associations/:association/meetings/:meeting/sheets/:sheet',
  'POST /associations/:association/meetings/:meeting/sheets/:sheet/submit',
  'GET /associations/:association/fines',
  'GET /associations/:association/fines/:fine',
  'POST /associations/:association/fines/:fine/pay',
  'GET /associations/:association/corrections/:correction',
  'POST /associations/:association/cash-contribution',
  'POST /associations/:association/distributions',
  'GET /associations/:association/distributions',
  'GET /associations/:association/distributions/:distribution',
  'POST /associations/:association/governance/proposals',
  'POST /associations/:association/governance/approve',
  'POST /associations/:association/governance/reject',
  'GET /associations/:association/governance/approvals',
  'GET /associations/:association/governance/approvals/:approval',
  'POST /associations/:association/governance/approvals/:approval/cancel',
].map((route) => ({ route, parts: route.split(/[ /]+/) }));

/** Answers that say nothing about the operation: of a repeat that was too early, and of requests that were not looked at. */
const WITHOUT_MEANING = new Set(['idempotency_in_flight', 'rate_limited', 'token_expired']);

/** Returns the requests of a history by their calls. Exchanges of other routes are left out. */
export function requestsOf(history: readonly Exchange[]): Request[] {
  const all = history.flatMap((exchange, place) => {
    const request = requestOf(exchange, place);
    if (request === undefined || WITHOUT_MEANING.has(request.code)) return [];
    const { user, key, method, path, sent } = exchange;
    const isKeyed = key !== null && method !== 'GET';
    return [{ request, operation: isKeyed ? JSON.stringify([user, key, method, path, sent]) : String(place) }];
  });
  return [...Map.groupBy(all, ({ operation }) => operation).values()]
    .flatMap((repeats) => joinRepeats(repeats.map(({ request }) => request)))
    .toSorted((one, other) => one.call - other.call);
}

/**
 * Joins the requests of one key. A request spans from the first call without an answer, as its outcome may have been decided
 * then. A success is kept, so all later ones repeat it. A refusal frees the key, so it is a request of its own.
 */
function joinRepeats(repeats: readonly Request[]): Request[] {
  const calls = repeats.filter(({ status }) => status === 0).map(({ call }) => call);
  const begin = ({ call, return: returned }: Request) => Math.min(call, ...calls.filter((lost) => lost <= returned));
  const refused = repeats.filter(({ status }) => status >= 400).map((one) => ({ ...one, call: begin(one) }));
  const others = repeats.filter(({ status }) => status < 400).toSorted((one, other) => one.return - other.return);
  const [first] = others;
  if (first === undefined) return refused;
  return [...refused, { ...first, lost: calls.length, call: Math.min(...others.map(({ call }) => call)) }];
}

function requestOf(exchange: Exchange, place: number): Request | undefined {
  const { user, method, path, sent, called, received } = exchange;
  const [pathname = '', query] = path.split('?');
  const parts = [method, ...pathname.split('/').slice(1)];
  const found = ROUTES.find((route) => isLike(parts, route.parts));
  if (found === undefined) return undefined;
  const params = found.parts.flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), parts[index]!]] : []));
  const isAnswered = exchange.returned !== null && exchange.status !== null && exchange.status < 500;
  return {
    id: `#${String(place)}`,
    user,
    route: found.route,
    params: Object.fromEntries(params) as Record<string, string>,
    query: new URLSearchParams(query),
    sent,
    call: called,
    return: isAnswered ? exchange.returned! : Infinity,
    lost: isAnswered ? 0 : 1,
    status: isAnswered ? exchange.status! : 0,
    code: isAnswered && typeof received['code'] === 'string' ? received['code'] : '',
    received: isAnswered ? received : {},
  };
}

function isLike(parts: readonly string[], pattern: readonly string[]): boolean {
  return parts.length === pattern.length && pattern.every((name, at) => name.startsWith(':') || name === parts[at]);
}

/** Whether the request succeeded, and its effect is complete. */
export function isDone({ status }: Request): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

/** Whether the request may have had, or may still have, its effect. */
export function isOpen({ status }: Request): boolean {
  return status === 0 || status === 202;
}
