/** The client of the association service for browsers and Node. */
export { associationClient } from './client.ts';
export type { AssociationClient, ClientOptions } from './client.ts';
export { each } from './pages.ts';
export type { Page } from './pages.ts';
export { answered, ProblemError } from './problem.ts';
export type { Problem } from './problem.ts';
export { DEFAULT_RETRIES } from './retry.ts';
export type { Retries } from './retry.ts';
export { sealPin } from './seal-pin.ts';
export type { components, operations, paths } from './schema.ts';
