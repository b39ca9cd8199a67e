/** Offers clients the PIN keys with which every membership node can decrypt. */
import type { ActionSchema } from 'moleculer';
import { pinKeys } from '../../../lib/contracts/membership.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { liveKeys, publicPart, type PublicPinKey } from '../../../lib/pin/key-set.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { pinKeyExpiry } from '../../../lib/telemetry/metrics.ts';
import { exchangeKeys, type NodeKeys } from './pin.store.ts';

/** Ten missed exchanges. A node that was paused for longer reads the key file again before it refuses a ciphertext. */
const NODE_LIVE_MS = 10_000;

/** Longer than NODE_LIVE_MS, and longer than a rotation takes if all nodes read the same file. */
const DIFFER_MAX_MS = 15_000;

/** The PIN keys that all live nodes have. */
export interface PinKeyOffer {
  /** Returns the offered keys, the newest first. */
  publicKeys(): Promise<PublicPinKey[]>;
  /** Stores which keys this node has, and reads those of the other nodes. Called every second. */
  exchange(node: string, log: { error: (message: string) => void }): Promise<void>;
}

/** Returns the keys with which clients encrypt PINs, as a JWK Set, the newest first. */
export function pinKeysAction({ pinKeyOffer }: { pinKeyOffer: PinKeyOffer }): ActionSchema {
  return implement(pinKeys, async () => ({ keys: (await pinKeyOffer.publicKeys()).map((key) => ({ ...key })) }));
}

/** Creates the offer of this node. It knows no other node before the first exchange. */
export function createPinKeyOffer(
  { runtime, db }: Pick<ServiceContext, 'runtime' | 'db'>,
  ring: PinKeyRing,
): PinKeyOffer {
  const { systemClock: clock } = runtime;
  const id = runtime.newId();
  let others: NodeKeys[] = [];
  let differ_since: Date | undefined;
  let logged: string | undefined;

  const readOwn = async () => liveKeys(await ring.keys(), clock());

  /** Returns a difference that has lasted for DIFFER_MAX_MS and was not logged before. */
  function findDifferenceToLog(kids: string[]): string | undefined {
    const difference = describeDifference(kids, others);
    if (difference === undefined) {
      differ_since = undefined;
      logged = undefined;
      return undefined;
    }
    differ_since ??= clock();
    if (difference === logged || clock().getTime() - differ_since.getTime() < DIFFER_MAX_MS) return undefined;
    logged = difference;
    return difference;
  }

  return {
    async publicKeys() {
      const keys = await readOwn();
      const common = keys.filter(({ kid }) => others.every(({ kids }) => kids.includes(kid)));
      // Without a common key, all keys of this node are offered: each of them works on some nodes.
      return (common.length > 0 ? common : keys).map(publicPart);
    },
    async exchange(name, log) {
      pinKeyExpiry.set(Math.max(...(await ring.keys()).map(({ exp }) => exp)));
      const kids = (await readOwn()).map(({ kid }) => kid);
      others = await exchangeKeys(db, id, { name, kids }, NODE_LIVE_MS);
      const difference = findDifferenceToLog(kids);
      if (difference !== undefined) log.error(difference);
    },
  };
}

/** Describes to the operator which nodes have other keys than this one; undefined if there are none. */
function describeDifference(kids: string[], others: NodeKeys[]): string | undefined {
  const differing = others.filter(
    (node) => node.kids.length !== kids.length || !kids.every((kid) => node.kids.includes(kid)),
  );
  if (differing.length === 0) return undefined;
  const hasCommon = kids.some((kid) => others.every((node) => node.kids.includes(kid)));
  const names = [...new Set(differing.map(({ name }) => name))].toSorted().join(', ');
  const effect = hasCommon
    ? 'only the common ones are offered'
    : 'none is common, so many PINs are refused as unreadable';
  return `PIN keys differ from those of ${names}: ${effect}. Give all membership nodes the same file.`;
}
