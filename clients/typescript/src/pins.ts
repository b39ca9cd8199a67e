import { problemCode } from './problem.ts';
import { sealPin } from './seal-pin.ts';
import type { PinKey } from './seal-pin.ts';

/** The service offers a new key long before it retires the old one, except in an emergency. */
const KEY_LIFE_MS = 60 * 60_000;

/** The number of encrypted PINs that are not sent yet. Apps have fewer at the same time. */
const PINS_MAX = 100;

/** Longer than an app needs to send a PIN that it encrypted. After that the PIN is dropped at the next call. */
const PIN_KEPT_MS = 60_000;

const PIN_MEMBERS = ['pin', 'current_pin'] as const;

type Send = (request: Request) => Promise<Response>;

export interface PinSealer {
  seal: (pin: string) => Promise<string>;
  /** Sends a request. If the key of its PINs has been retired, encrypts them again and repeats the request once. */
  send: Send;
}

/**
 * Returns functions that encrypt PINs and send requests with them.
 * @param readKey reads the newest key of the service
 */
export function pinSealer(readKey: () => Promise<PinKey>, sendOnce: Send): PinSealer {
  let newest: Promise<PinKey> | undefined;
  let good_until_ms = 0;
  // The PIN of each ciphertext, which is needed to encrypt it again. It is kept until the request is sent.
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

  /** Drops old PINs. The map is in the order of encryption. */
  function dropOld(): void {
    for (const [sealed, { until_ms }] of pins) {
      if (pins.size <= PINS_MAX && Date.now() < until_ms) return;
      pins.delete(sealed);
    }
  }

  /** Takes the PINs of the ciphertexts in the body. Returns the name of the member and the PIN of each. */
  function takePins(body: Record<string, unknown>): [string, string][] {
    return PIN_MEMBERS.flatMap((name) => {
      const kept = pins.get(body[name] as string);
      pins.delete(body[name] as string);
      return kept === undefined ? [] : [[name, kept.pin]];
    });
  }

  async function send(request: Request): Promise<Response> {
    dropOld();
    const body = pins.size === 0 || request.body === null ? {} : await bodyOf(request.clone());
    const taken = takePins(body);
    const copy = taken.length === 0 ? undefined : request.clone();
    const answer = await sendOnce(request);
    if ((await problemCode(answer)) !== 'pin_unreadable') return answer;
    newest = undefined;
    if (copy === undefined) return answer;
    try {
      for (const [name, pin] of taken) body[name] = await sealPin(pin, await newestKey());
    } catch {
      // Without a key, the caller gets the problem.
      return answer;
    }
    return sendOnce(new Request(copy, { body: JSON.stringify(body) }));
  }

  return { seal, send };
}

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  if (request.headers.get('Content-Type')?.includes('json') !== true) return {};
  // A body that is not JSON holds no PIN; the service refuses it.
  const body: unknown = await request.json().catch(() => undefined);
  return (body ?? {}) as Record<string, unknown>;
}
