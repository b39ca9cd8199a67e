import { problemCode } from './problem.ts';
import { sealPin } from './seal-pin.ts';
import type { PinKey } from './seal-pin.ts';

/** A new key is offered long before the old one retires, unless that is retired at once. */
const KEY_LIFE_MS = 60 * 60_000;

/** PINs sealed and not sent yet: more than one app has under way. */
const PINS_MAX = 100;

/** Longer than an app takes from sealing a PIN to sending it. One sent by other means is dropped at the next call then. */
const PIN_KEPT_MS = 60_000;

const PIN_MEMBERS = ['pin', 'current_pin'] as const;

type Send = (request: Request) => Promise<Response>;

export interface PinSealer {
  seal: (pin: string) => Promise<string>;
  /** Sends a request; where its PINs were sealed with a key that is retired by now, it seals and sends them once more. */
  send: Send;
}

/** @param readKey gives the service's newest key */
export function pinSealer(readKey: () => Promise<PinKey>, sendOnce: Send): PinSealer {
  let newest: Promise<PinKey> | undefined;
  let good_until_ms = 0;
  // Until its request is sent, what each ciphertext holds: only so can it be sealed again.
  const pins = new Map<string, { pin: string; until_ms: number }>();

  async function newestKey(): Promise<PinKey> {
    if (newest === undefined || Date.now() >= good_until_ms) {
      newest = readKey();
      good_until_ms = Date.now() + KEY_LIFE_MS;
    }
    try {
      const key = await newest;
      good_until_ms = Math.min(good_until_ms, (key.exp ?? Infinity) * 1_000);
      return key;
    } catch (error) {
      newest = undefined;
      throw error;
    }
  }

  async function seal(pin: string): Promise<string> {
    const sealed = await sealPin(pin, await newestKey());
    pins.set(sealed, { pin, until_ms: Date.now() + PIN_KEPT_MS });
    dropOld();
    return sealed;
  }

  /** They are in the order in which they were sealed. */
  function dropOld(): void {
    for (const [sealed, { until_ms }] of pins) {
      if (pins.size <= PINS_MAX && Date.now() < until_ms) return;
      pins.delete(sealed);
    }
  }

  /** The members of the body that hold PINs sealed here, each with its PIN. */
  function pinsIn(body: Record<string, unknown>): [string, string][] {
    return PIN_MEMBERS.flatMap((name) => {
      const kept = pins.get(body[name] as string);
      pins.delete(body[name] as string);
      return kept === undefined ? [] : [[name, kept.pin]];
    });
  }

  async function send(request: Request): Promise<Response> {
    dropOld();
    const body = pins.size === 0 || request.body === null ? {} : await bodyOf(request.clone());
    const sealedHere = pinsIn(body);
    const spare = sealedHere.length === 0 ? undefined : request.clone();
    const answer = await sendOnce(request);
    if ((await problemCode(answer)) !== 'pin_unreadable') return answer;
    newest = undefined;
    if (spare === undefined) return answer;
    try {
      for (const [name, pin] of sealedHere) body[name] = await sealPin(pin, await newestKey());
    } catch {
      // Without a key the refusal is all that there is to say.
      return answer;
    }
    return sendOnce(new Request(spare, { body: JSON.stringify(body) }));
  }

  return { seal, send };
}

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  if (request.headers.get('Content-Type')?.includes('json') !== true) return {};
  // What is not JSON holds no PIN; the service says what is wrong with it.
  const body: unknown = await request.json().catch(() => undefined);
  return (body ?? {}) as Record<string, unknown>;
}
