import type { Json } from './exchange.ts';
import { legAmountOf } from './amounts.ts';
import { isDone, type Request } from './requests.ts';

/** A transfer of the ledger's export that moved wallets. */
export interface WalletTransfer {
  id: string;
  kind: string;
  /** Wallet -> change. */
  changes: Map<string, bigint>;
  /** Of a reversal: the transfer that it reverses. */
  reference: string | null;
  /** The meetings whose pools it moved. */
  meetings: string[];
  /** When the first export that has it was answered. */
  seenAt: number;
}

/** What all answers of a history say together, and is always so. */
export interface Facts {
  /** Association and user -> member. */
  memberOf(association: string, user: string): string | undefined;
  /** Contribution -> how it ended, and when that was first seen. */
  endOfContribution(id: string): { status: 'paid' | 'failed'; seenAt: number } | undefined;
  /** The contributions that a transfer has paid, as they were last shown. */
  contributionsOn(transfer: string): Json[];
  /** An approval as answers show it, in their order. */
  shownApprovals: Map<string, ShownAt[]>;
  /** The transfers since the history's begin, without those of contributions to pools. */
  transfers: WalletTransfer[];
  /** Transfers of contributions by id. */
  contributionTransfers: Map<string, WalletTransfer>;
  hasExport: boolean;
}

/** An object in an answer, and when it was answered. */
export interface ShownAt {
  row: Json;
  seenAt: number;
}

const EXPORT = 'GET /associations/:association/ledger/export';

const memberKey = (association: string, user: string) => `${association} ${user}`;

/** Collects the facts of a history. */
export function factsOf(requests: readonly Request[]): Facts {
  const members = new Map<string, string>();
  const ends = new Map<string, { status: 'paid' | 'failed'; seenAt: number }>();
  const contributions = new Map<string, Json>();
  const shownApprovals = new Map<string, ShownAt[]>();
  for (const request of requests.filter(isDone).toSorted((one, other) => one.return - other.return)) {
    for (const { association_id, user_id, id } of membersIn(request)) {
      members.set(memberKey(association_id as string, user_id as string), id as string);
    }
    for (const row of approvalsIn(request)) {
      const id = row['id'] as string;
      shownApprovals.set(id, [...(shownApprovals.get(id) ?? []), { row, seenAt: request.return }]);
    }
    if (!request.route.includes('/contributions')) continue;
    for (const row of request.route.endsWith(':contribution') ? [request.received] : rowsOf(request)) {
      const id = row['id'] as string;
      contributions.set(id, row);
      // What is reversed was paid.
      const status = row['status'] === 'reversed' ? 'paid' : row['status'];
      const isOver = status === 'paid' || status === 'failed';
      if (isOver && !ends.has(id)) ends.set(id, { status, seenAt: request.return });
    }
  }
  const transfers = transfersOf(requests);
  return {
    memberOf: (association, user) => members.get(memberKey(association, user)),
    endOfContribution: (id) => ends.get(id),
    contributionsOn: (transfer) => [...contributions.values()].filter((row) => row['transfer_id'] === transfer),
    shownApprovals,
    transfers: transfers.filter(({ kind }) => kind !== 'contribution'),
    contributionTransfers: new Map(
      transfers.filter(({ kind }) => kind === 'contribution').map((transfer) => [transfer.id, transfer]),
    ),
    hasExport: requests.some(isExport),
  };
}

const GOVERNANCE = '/associations/:association/governance';

/** Returns the approvals that an answer shows. */
export function approvalsIn(request: Request): Json[] {
  const { route, received } = request;
  if (!isDone(request) || !route.includes(GOVERNANCE)) return [];
  if (route === `GET ${GOVERNANCE}/approvals`) return rowsOf(request);
  return route === `POST ${GOVERNANCE}/proposals` ? [received['approval'] as Json] : [received];
}

/** Returns the members that an answer shows. */
function membersIn(request: Request): Json[] {
  if (request.route.endsWith('/members')) return rowsOf(request);
  return /\/(me|join|accept)$/.test(request.route) ? [request.received] : [];
}

/** Returns the rows of a list's answer. */
export function rowsOf({ received }: Pick<Request, 'received'>): Json[] {
  return Array.isArray(received['data']) ? (received['data'] as Json[]) : [];
}

/** Whether the answer is an export of a ledger. */
export function isExport(request: Request): boolean {
  return request.route === EXPORT && isDone(request);
}

interface ExportedTransfer {
  id: string;
  seq: number;
  kind: string;
  currency: string;
  reference: string | null;
  legs: { account: string; amount_minor: number }[];
}

/** Reads the transfers of all exports, without those before the history's begin. */
function transfersOf(requests: readonly Request[]): WalletTransfer[] {
  const found = new Map<string, WalletTransfer>();
  for (const request of requests.filter(isExport)) {
    const since = openingSeq(requests, request.params['association']!);
    for (const transfer of rowsOf(request) as unknown as ExportedTransfer[]) {
      const earlier = found.get(transfer.id);
      if (transfer.seq <= since || (earlier !== undefined && earlier.seenAt <= request.return)) continue;
      found.set(transfer.id, walletTransferOf(transfer, request.return));
    }
  }
  return [...found.values()];
}

/** Returns the head of an association's chain when the history begins: 0 unless it was read before all of its writes. */
function openingSeq(requests: readonly Request[], association: string): number {
  const own = requests.filter(({ params, received }) => [params['association'], received['id']].includes(association));
  const head = own.find(({ route }) => route === 'GET /associations/:association/ledger/head');
  const firstWrite = own.find(({ route }) => !route.startsWith('GET '));
  const seq = head?.received['seq'];
  return typeof seq === 'number' && head!.return < (firstWrite?.call ?? Infinity) ? seq : 0;
}

function walletTransferOf({ id, kind, currency, reference, legs }: ExportedTransfer, seenAt: number): WalletTransfer {
  const named = (prefix: string, account: string) => (account.startsWith(prefix) ? [account.slice(prefix.length)] : []);
  const changes = new Map<string, bigint>();
  for (const { account, amount_minor } of legs) {
    // What a wallet pays is known from its owner's request, who may be a creditor of the same arrears.
    if (kind === 'arrears_payment' && amount_minor < 0) continue;
    for (const wallet of named('wallet:', account)) {
      changes.set(wallet, (changes.get(wallet) ?? 0n) + legAmountOf(amount_minor, currency));
    }
  }
  const meetings = legs.flatMap(({ account }) => [...named('pool:', account), ...named('cash_pool:', account)]);
  return { id, kind, changes, reference, meetings, seenAt };
}
