import type pg from 'pg';
import { currentActivity } from '../tracing/activity.ts';
import { activeTracer } from '../tracing/spans.ts';

/** Longer statements are cut. All that the services run are shorter; the exporter should not be loaded with others. */
const TEXT_MAX_CHARACTERS = 2_000;

type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>;

/**
 * Returns the pool or connection with a span for each statement, or the same one while traces are off. Spans have the text of
 * statements but never their parameters. A statement that writes for several requests belongs to one of them.
 */
export function traced(queryable: Queryable): Queryable {
  const tracer = activeTracer();
  if (tracer === undefined) return queryable;
  const query = (...args: Parameters<typeof queryable.query>) => {
    const [statement] = args as unknown as [string | { name?: string; text: string }];
    const { name, text } = typeof statement === 'string' ? { name: undefined, text: statement } : statement;
    const summary = name ?? /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'query';
    const span = tracer.start('client', summary, currentActivity(), {
      'db.system.name': 'postgresql',
      'db.query.summary': summary,
      'db.query.text': text.slice(0, TEXT_MAX_CHARACTERS),
    });
    const answer = (queryable.query as (...all: unknown[]) => Promise<unknown>).apply(queryable, args);
    answer.then(
      () => span.end(),
      // A statement that fails is often part of a normal course, such as a conflict that is resolved.
      ({ code = 'error' }: { code?: string }) => span.end({ error: { type: code, isFault: false } }),
    );
    return answer;
  };
  return { query } as unknown as Queryable;
}
