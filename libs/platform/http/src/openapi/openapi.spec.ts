import type { JsonObject } from '@app/kernel';
import { openApiDocument } from './openapi';
import { operation, type Contract } from '../operation/operation';

const terms = { summary: 'A thing', answer: null };
const getThing = operation('things.get', { ...terms, route: 'GET /v1/users/:userId/things' });
const countThings = operation('things.count', {
  ...terms,
  route: 'GET /v1/users/:userId/things/count',
  beyondSpecification: 'Dashboards show it',
});

function documentOf(contracts: readonly Contract[], groups: readonly string[] = ['others', 'things']): JsonObject {
  const about = {
    title: 'Things',
    description: 'About things',
    groups: groups.map((name) => ({ name, description: `The ${name}` })),
  };
  return openApiDocument(contracts, { about, baseUrl: 'https://things.example', deprecated: false });
}

it('lists the groups that operations belong to, as they are described', () => {
  expect(documentOf([getThing])).toMatchObject({
    info: { title: 'Things', description: 'About things' },
    tags: [{ name: 'things', description: 'The things' }],
  });
});

it('is not made of an operation whose group nobody describes', () => {
  expect(() => documentOf([getThing], ['others'])).toThrow('no group is described for things');
});

it('is not made of two operations of one name', () => {
  expect(() => documentOf([getThing, getThing])).toThrow('two operations are named things.get');
});

it('marks what goes beyond the specification, and nothing else', () => {
  const { paths } = documentOf([getThing, countThings]);
  expect(paths).toMatchObject({
    '/v1/users/{userId}/things/count': { get: { 'x-beyond-specification': 'Dashboards show it' } },
  });
  expect(paths).not.toHaveProperty(['/v1/users/{userId}/things', 'get', 'x-beyond-specification']);
});

it('says of each operation with a body that it is taken as it is, and of no other', () => {
  const sendThing = operation('things.send', {
    ...terms,
    route: 'POST /v1/users/:userId/things',
    body: { stream: 'The bytes' },
  });
  const { paths } = documentOf([getThing, sendThing]);
  expect(paths).toMatchObject({
    '/v1/users/{userId}/things': {
      get: { responses: expect.not.objectContaining({ '415': expect.anything() as unknown }) as unknown },
      post: { responses: { '415': { $ref: '#/components/responses/UnsupportedMediaType' } } },
    },
  });
});
