/** Compares the contracts of two releases. */
import type { JsonSchema } from '../../../lib/schema/json-schema.ts';
import type { Contracts, InternalContracts } from './contracts.ts';
import { operationDifferences } from './operations.ts';
import type { Break, Difference } from './rules.ts';
import { broken, placeAt, schemaBreaks, within, type Place } from './schemas.ts';

/**
 * Returns what would break clients, subscribers, or processes of the earlier release while they run beside later ones.
 * @param today `YYYY-MM-DD`
 */
export function differences(was: Contracts, now: Contracts, today: string): Difference[] {
  return [
    ...operationDifferences(was, now, today),
    ...eventDifferences(was, now),
    ...commandDifferences(was.internal, now.internal),
  ];
}

function eventDifferences(was: Contracts, now: Contracts): Difference[] {
  const channels = placeAt(was.asyncapi, '/channels');
  const later = placeAt(now.asyncapi, '/channels');
  const { consumers, stream } = was.internal;
  const inStream = { document: {}, pointer: '/stream', value: {} };
  const moved = stream === now.internal.stream ? [] : [broken('event', inStream, `became ${now.internal.stream}`)];
  return [
    ...moved.map((each) => ({ ...each, of: 'all events' })),
    ...Object.keys(channels.value).flatMap((type) => {
      const channel = within(channels, type);
      const breaks =
        type in later.value
          ? channelBreaks(type, channel, within(later, type))
          : [broken('event', channel, 'is removed')];
      return breaks.map((each) => ({ ...each, of: type }));
    }),
    ...Object.entries(consumers)
      .filter(([durable, type]) => now.internal.consumers[durable] !== type)
      .map(([durable, type]): Difference => ({
        ...broken(
          'event',
          { document: {}, pointer: `/consumers/${durable}`, value: {} },
          'is removed or gets another type',
        ),
        of: type,
      })),
  ];
}

function channelBreaks(type: string, was: Place, now: Place): Break[] {
  const [before, after] = [within(was, 'messages', type), within(now, 'messages', type)];
  const address = String(now.value.address);
  const source = ({ value }: Place) => (value.examples as { payload: { source: string } }[])[0]!.payload.source;
  return [
    ...(was.value.address === address ? [] : [broken('event', was, `its subject became ${address}`)]),
    ...(source(before) === source(after) ? [] : [broken('event', before, `its source became ${source(after)}`)]),
    ...(['headers', 'payload'] as const).flatMap((part) =>
      schemaBreaks(within(before, part), within(after, part), 'answer'),
    ),
  ];
}

function commandDifferences(was: InternalContracts, now: InternalContracts): Difference[] {
  const before = placeAt(was as unknown as JsonSchema, '/commands');
  const after = placeAt(now as unknown as JsonSchema, '/commands');
  const serviceOf = (name: string) => name.split('.')[0];
  const services = new Set(Object.keys(was.commands).map(serviceOf));
  // The processes of a service that the last release does not have are all new.
  const added = Object.keys(now.commands).filter((name) => !(name in was.commands) && services.has(serviceOf(name)));
  const codes = Object.entries(was.errors).filter(([code, status]) => now.errors[code] !== status);
  return [
    ...added.map((name) => ({ ...broken('command', within(before, name), 'is new'), of: name })),
    ...Object.keys(was.commands).flatMap((name) =>
      commandBreaks(within(before, name), name in after.value ? within(after, name) : undefined).map((each) => ({
        ...each,
        of: name,
      })),
    ),
    ...codes.map(([code, status]) => ({
      ...broken(
        'code',
        { document: {}, pointer: `/errors/${code}`, value: {} },
        `is no longer a code with ${String(status)}`,
      ),
      of: code,
    })),
  ];
}

/** Calls must work from an earlier process to a later one, and the reverse. */
function commandBreaks(was: Place, now: Place | undefined): Break[] {
  if (now === undefined) return [broken('command', was, 'is removed')];
  const [input, later] = [within(was, 'input'), within(now, 'input')];
  const [answer, laterAnswer] = [within(was, 'answer'), within(now, 'answer')];
  const calls = {
    'sent to a later process': schemaBreaks(input, later, 'request'),
    'sent to an earlier process': schemaBreaks(later, input, 'request'),
    'answered by a later process': schemaBreaks(answer, laterAnswer, 'answer'),
    'answered by an earlier process': schemaBreaks(laterAnswer, answer, 'earlier_answer'),
  };
  return Object.entries(calls).flatMap(([when, breaks]) =>
    breaks.map((each): Break => ({ ...each, rule: 'command', what: `${when}, ${each.what}` })),
  );
}
