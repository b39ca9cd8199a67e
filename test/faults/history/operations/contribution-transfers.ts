import { isExport, type Facts } from '../facts.ts';
import type { Payment } from '../payments.ts';
import type { Request } from '../requests.ts';
import type { CheckedObject } from './objects.ts';

/**
 * Returns the check that the exported ledger has one transfer for each contribution that was answered as paid, and no
 * transfer that no request asked for.
 */
export function contributionTransfersOf(
  requests: readonly Request[],
  facts: Facts,
  payments: readonly Payment[],
): CheckedObject[] {
  const exports = requests.filter(isExport);
  if (exports.length === 0) return [];
  const exportedAt = Math.max(...exports.map(({ call }) => call));
  const fromWallets = payments.filter(({ wallet }) => wallet !== null);
  return [
    {
      name: 'transfers of contributions',
      operations: fromWallets.length,
      check: () => {
        const faults = faultsOf(fromWallets, facts, exportedAt);
        const steps = fromWallets.length;
        return faults.length === 0
          ? { outcome: 'ok', steps }
          : { outcome: 'violation', steps, explanation: faults.join('\n') };
      },
    },
  ];
}

function faultsOf(payments: readonly Payment[], facts: Facts, exportedAt: number): string[] {
  const left = new Map(facts.contributionTransfers);
  const isMoved = ({ wallet, amount, meeting }: Payment, id: string) => {
    const transfer = left.get(id);
    return transfer?.changes.get(wallet!) === -amount && transfer.meetings.includes(meeting);
  };
  const arrears = new Set(facts.transfers.map(({ id }) => id));
  const faults: string[] = [];
  for (const payment of payments.filter(({ request }) => typeof request.received['transfer_id'] === 'string')) {
    const id = payment.request.received['transfer_id'] as string;
    if (payment.endedBy < exportedAt && !arrears.has(id) && !isMoved(payment, id)) {
      faults.push(`${payment.request.id} was answered as paid, but the ledger has no such transfer ${id}`);
    }
    left.delete(id);
  }
  for (const payment of payments.filter(({ request }) => request.status === 0 || request.status === 202)) {
    const own = String(payment.request.received['id']);
    const id = left.has(own) ? own : [...left.keys()].find((each) => isMoved(payment, each));
    if (id !== undefined) left.delete(id);
  }
  return [...faults, ...[...left.keys()].map((id) => `transfer ${id} was posted, but no request asked for it`)];
}
