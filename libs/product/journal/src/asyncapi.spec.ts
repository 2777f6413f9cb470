import { isJsonObject, type JsonObject } from '@app/kernel';
import { Profile, Run } from '@app/runs';
import { object, withName, text, type Schema } from '@app/schema';
import { FinancialOperation } from '@app/wallets';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { closed } from '@app/testing/documents';
import { asyncApiDocument } from './asyncapi';

const baseUrl = 'https://parley.example/agents';
const shapes = [Run, Profile, FinancialOperation];
const document = asyncApiDocument({ baseUrl, shapes });
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (place, step) => (typeof place === 'object' && place !== null ? Reflect.get(place, step) : undefined),
    value,
  );
const messages = Object.entries(at(document, 'components', 'messages') as Record<string, JsonObject>);

describe('the AsyncAPI document', () => {
  it.each(messages)('has a true example of %s, with every member and no other', (type, message) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(closed(document), 'asyncapi');
    const payload = at(message, 'payload');
    const check = ajv.compile(closed(isJsonObject(payload) ? payload : {}, '#/', 'asyncapi#/'));
    const example = at(message, 'examples', 0, 'payload');
    expect({ fits: check(example), errors: check.errors }).toEqual({ fits: true, errors: null });
    expect(at(example, 'payload', 'type')).toBe(type);
    expect(at(example, 'delivery')).toBe(/_(delta|progress)$/.test(String(type)) ? 'live' : 'durable');
  });

  it('says where the deployment is', () => {
    expect(at(document, 'servers', 'deployment')).toMatchObject({
      host: 'parley.example',
      protocol: 'https',
      pathname: '/agents',
    });
  });

  it('holds nothing of the given shapes but what events name', () => {
    const unnamed: Schema = withName('Unnamed', object({ text: text() }));
    expect(asyncApiDocument({ baseUrl, shapes: [...shapes, unnamed] })).toEqual(document);
    expect(at(document, 'components', 'schemas', 'FinancialOperation')).toBeUndefined();
  });

  it('is not made where an event names what nobody describes', () => {
    expect(() => asyncApiDocument({ baseUrl, shapes: [Run, Profile] })).toThrow('OperationAction');
  });
});
