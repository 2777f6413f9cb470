import { BooleanText, IntegerText, Items, Nested, NoBody, OneOf, Optional, Text, Uuid, UuidList, Whole } from './dto';
import { validateInto } from './validate-into';

class InputDto {
  @Text({ min: 1, max: 5 })
  text: string;
  @Optional()
  @UuidList({ max: 2 })
  artifactIds?: string[];
}
class ProfileDto {
  @Optional()
  @Items({ max: 2, of: (item) => typeof item === 'string', what: 'a text', schema: { type: 'string' } })
  tools?: string[];
  @Optional()
  @Whole({ min: 1, max: 50 })
  maxSteps?: number;
}
class StartDto {
  @Uuid()
  conversationId: string;
  @Nested(() => InputDto)
  input: InputDto;
  @Optional()
  @Nested(() => ProfileDto)
  profile?: ProfileDto;
  @Optional()
  @OneOf(['a', 'b'])
  kind?: string;
}
class QueryDto {
  @IntegerText({ min: 1, max: 100, default: 50 })
  limit: number;
  @BooleanText({ default: false })
  archived: boolean;
  @Optional()
  @BooleanText()
  active?: boolean;
}

const id = '0189d0a4-0000-7000-8000-000000000001';
const issuesOf = (dto: new () => object, value: unknown) => {
  const result = validateInto(dto, value);
  if (result.ok) return {};
  if (result.refusal.kind !== 'invalid_input') throw new Error(result.refusal.kind);
  return Object.fromEntries(result.refusal.issues.map(({ path, message }) => [path, message]));
};

describe('a DTO', () => {
  it('is made of what fits, ids in lower case, nested ones too', () => {
    const result = validateInto(StartDto, {
      conversationId: id.toUpperCase(),
      input: { text: '😀😀😀😀😀', artifactIds: [id.toUpperCase()] },
    });
    expect(result).toEqual({
      ok: true,
      value: { conversationId: id, input: { text: '😀😀😀😀😀', artifactIds: [id] } },
    });
    expect(result.ok && result.value.input).toBeInstanceOf(InputDto);
  });

  it('names every part that failed by its pointer', () => {
    const body = {
      conversationId: 7,
      input: { text: '', artifactIds: ['x', id], 'a/b~c': 1 },
      profile: { tools: [1, 'a', 2], maxSteps: 1.5 },
      kind: 'c',
      more: 1,
    };
    expect(issuesOf(StartDto, body)).toEqual({
      '/more': 'is not known',
      '/conversationId': 'must be a UUID',
      '/kind': 'must be one of a, b',
      '/input/a~1b~0c': 'is not known',
      '/input/text': 'must be a text of 1 to 5 characters',
      '/input/artifactIds/0': 'must be a UUID',
      '/profile/tools': 'must be a list of 0 to 2 items',
      '/profile/tools/0': 'must be a text',
      '/profile/tools/2': 'must be a text',
      '/profile/maxSteps': 'must be a whole number from 1 to 50',
    });
  });

  it('does not take null for absence, an array for an object, or a member of Object.prototype for its own', () => {
    expect(issuesOf(StartDto, {})).toEqual({ '/conversationId': 'is required', '/input': 'is required' });
    expect(
      Object.keys(issuesOf(StartDto, { conversationId: id, input: { text: 'x' }, profile: null, kind: null })),
    ).toEqual(['/profile', '/kind']);
    expect(Object.keys(issuesOf(StartDto, { conversationId: id, input: [] }))).toEqual(['/input']);
    expect(Object.keys(issuesOf(NoBody, { constructor: 1, toString: 2 }))).toEqual(['/constructor', '/toString']);
    for (const value of [null, [], 'x', 1]) expect(issuesOf(NoBody, value)).toEqual({ '': 'must be an object' });
    expect(issuesOf(NoBody, undefined)).toEqual({});
  });

  it('counts code points, and takes neither U+0000 nor half a pair', () => {
    for (const text of ['😀😀😀😀😀😀', 'a\0', '\ud800']) {
      expect(Object.keys(issuesOf(InputDto, { text }))).toEqual(['/text']);
    }
  });

  it('reads a query', () => {
    expect(validateInto(QueryDto, {})).toEqual({ ok: true, value: { limit: 50, archived: false } });
    expect(validateInto(QueryDto, { limit: '1', archived: 'true', active: 'false' })).toEqual({
      ok: true,
      value: { limit: 1, archived: true, active: false },
    });
    for (const limit of ['', '0', '101', '1.0', '01', '+1', ' 1', '1e1', ['1', '2'], '99999999999999999999']) {
      expect(Object.keys(issuesOf(QueryDto, { limit }))).toEqual(['/limit']);
    }
    expect(Object.keys(issuesOf(QueryDto, { active: 'yes', archived: ['true', 'true'], other: '1' }))).toEqual([
      '/other',
      '/archived',
      '/active',
    ]);
  });
});
