import type { TableService } from '../../lib/config/service-names.ts';
import type { EventData, EventType, LedgerEvent } from '../../lib/contracts/events.ts';
import type { Transaction } from '../../lib/db/db.ts';
import type { StreamBus } from '../../lib/events/stream.ts';
import type { Outbox } from '../../lib/events/outbox.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import type { UnknownEvent } from '../verify/stream.ts';

/** One repair: a transaction in each database, which a dry run rolls back. */
export interface Repair {
  tx: Record<TableService, Transaction>;
  outbox: Record<TableService, Outbox>;
  bus: StreamBus;
  runtime: Pick<Runtime, 'clock' | 'newId' | 'randomBytes'>;
  lost: LostEvents;
  /** The directory with the files of archived events; undefined if it was not given. */
  archive_dir: string | undefined;
  /** Notes a repair. @param kind groups the notes of one kind */
  did(kind: string, text: string): void;
  /** Notes what no record decides. */
  cannot(text: string): void;
}

/** An event of one type that its outbox has lost. */
export interface LostEvent<T extends EventType = EventType> extends UnknownEvent {
  event: LedgerEvent<T>;
}

/** The events of the stream that the outboxes no longer have: changes that the restored databases have lost. */
export class LostEvents {
  readonly #all: readonly UnknownEvent[];
  /** By type, name and value of each text in their data. The last of several events is found. */
  readonly #byData = new Map<string, UnknownEvent>();
  /** Events whose change could not be repeated. They stay out of the outbox. */
  readonly #undone = new Set<string>();

  /** @param events in the order of the stream */
  constructor(events: readonly UnknownEvent[]) {
    this.#all = events;
    for (const unknown of events) {
      const { type, data } = unknown.event;
      for (const [name, value] of Object.entries(data)) {
        if (typeof value === 'string') this.#byData.set(`${type} ${name} ${value}`, unknown);
      }
    }
  }

  /** Returns the lost events of these types, in the order of the stream. */
  ofType<T extends EventType>(...types: T[]): LostEvent<T>[] {
    const wanted: readonly EventType[] = types;
    return this.#all.filter((each) => wanted.includes(each.event.type)) as LostEvent<T>[];
  }

  /** Finds the last lost event of a type with this value in its data. */
  find<T extends EventType>(type: T, name: keyof EventData[T] & string, value: string): LostEvent<T> | undefined {
    return this.#byData.get(`${type} ${name} ${value}`) as LostEvent<T> | undefined;
  }

  markUndone({ event }: UnknownEvent): void {
    this.#undone.add(event.id);
  }

  /** Returns the events whose changes are repeated, in the order of the stream. */
  repeated(): UnknownEvent[] {
    return this.#all.filter(({ event }) => !this.#undone.has(event.id));
  }
}
