import { expect } from 'chai';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Endpoint } from '../../../lib/contracts/action.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'endpoint';
}

describe('the routes', () => {
  it('include every public action exactly once', () => {
    const contracts = [membership, contribution, treasury, governance].flatMap((module) =>
      Object.values<unknown>(module).filter(isEndpoint),
    );
    const names = ROUTES.map((route) => route.endpoint.name);
    expect(names.toSorted()).to.deep.equal(contracts.map((contract) => contract.name).toSorted());
  });

  it('have exactly the path parameters of their action', () => {
    for (const { path, endpoint } of ROUTES) {
      const parameters = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      expect(parameters.toSorted(), endpoint.name).to.deep.equal(Object.keys(endpoint.path).toSorted());
    }
  });

  it('accept no body with GET and DELETE', () => {
    const bodiless = ROUTES.filter(({ method }) => method === 'GET' || method === 'DELETE');
    expect(bodiless.filter(({ endpoint }) => Object.keys(endpoint.body).length > 0)).to.deep.equal([]);
  });

  it('require a token, except the route of the PIN keys', () => {
    expect(ROUTES.filter((route) => route.endpoint.open).map((route) => route.path)).to.deep.equal(['/keys/pin']);
  });
});
