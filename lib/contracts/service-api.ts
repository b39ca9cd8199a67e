/** How a service declares its part of the HTTP API. The gateway reads the routes of further services from their declarations. */
import type { ErrorEntry } from '../errors/table/entry.ts';
import * as t from './fields.ts';
import { always, command, type Endpoint } from './action.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** A method and a path below API_BASE, and the action that answers them with JSON. */
export interface DeclaredRoute {
  readonly method: Method;
  /** Segments that begin with a colon are the fields of the contract's `path`. */
  readonly path: string;
  readonly endpoint: Endpoint;
}

/** The part of the HTTP API that a further service declares. It consists of plain data, as it is sent to the gateways. */
export interface ServiceApi {
  /** What the routes of each tag are about, for the OpenAPI document. */
  readonly tags: Readonly<Record<string, string>>;
  /** The error codes that only this service has. A code is never renamed, and its meaning never changes. */
  readonly errors?: Readonly<Record<string, ErrorEntry>>;
  readonly routes: readonly DeclaredRoute[];
}

/** Declares a route. */
export function route(method: Method, path: string, endpoint: Endpoint): DeclaredRoute {
  return { method, path, endpoint };
}

/** The member of a service's Moleculer metadata that tells gateways to read its declaration: the hash of the declaration. */
export interface ApiMetadata {
  api_hash?: string;
}

/** Defines the command with which gateways read what a service declares. */
export const describeApiCommand = <S extends string>(service: S) =>
  command({ name: `${service}.describe_api`, reads: always, input: {}, answer: t.object({ api: t.free() }) });
