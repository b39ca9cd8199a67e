import { StartupError } from './startup-error.ts';

/** How the event stream is kept. What is absent was not set: an existing stream keeps what operators gave it. */
export interface StreamSettings {
  replicas?: number;
  /** 0: no limit. */
  maxAgeMs?: number;
  /** -1: no limit, as JetStream writes it. */
  maxBytes?: number;
}

/** JetStream takes no more. */
const REPLICAS_MAX = 5;

const HOUR_MS = 3_600_000;

/** Ten years: what lasts longer is no limit. */
const MAX_AGE_MAX_MS = 3_650 * 24 * HOUR_MS;

/** One message may be 8 MB. */
const MAX_BYTES_MIN = 16 * 1024 * 1024;

/**
 * Reads EVENTS_REPLICAS, EVENTS_MAX_AGE and EVENTS_MAX_BYTES.
 * @throws {StartupError} for a value that cannot be used
 */
export function readStreamSettings(text: (name: string) => string | undefined): StreamSettings {
  const settings: StreamSettings = {};
  const [replicas, age, bytes] = ['EVENTS_REPLICAS', 'EVENTS_MAX_AGE', 'EVENTS_MAX_BYTES'].map((name) =>
    text(name)?.trim().toLowerCase(),
  );
  if (replicas !== undefined) settings.replicas = readReplicas(replicas);
  if (age !== undefined) settings.maxAgeMs = age === 'off' ? 0 : readAge(age);
  if (bytes !== undefined) settings.maxBytes = bytes === 'off' ? -1 : readBytes(bytes);
  return settings;
}

function readReplicas(text: string): number {
  const replicas = /^\d$/.test(text) ? Number(text) : 0;
  if (replicas >= 1 && replicas <= REPLICAS_MAX) return replicas;
  throw new StartupError(`EVENTS_REPLICAS must be 1 to ${String(REPLICAS_MAX)}.`);
}

function readAge(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const age_ms = Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1);
  if (age_ms >= HOUR_MS && age_ms <= MAX_AGE_MAX_MS) return age_ms;
  throw new StartupError('EVENTS_MAX_AGE must be hours or days, such as 12h or 30d, 1h to 3650d, or off.');
}

function readBytes(text: string): number {
  const bytes = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (bytes >= MAX_BYTES_MIN) return bytes;
  throw new StartupError(`EVENTS_MAX_BYTES must be a number of bytes from ${String(MAX_BYTES_MIN)}, or off.`);
}
