import { boolean, givenInstant, integer, list, nullable, ofDto, oneOf, optional, text, uuid } from '@app/schema';
import { Member, NoBody, QueryMember } from './dto';
import { validateInto } from './validate-into';

class InputDto {
  @Member(text({ min: 1, max: 5 }))
  text: string;
  @Member(optional(list(uuid(), { max: 2 })))
  artifactIds?: readonly string[];
}
class ProfileDto {
  @Member(optional(list(text(), { max: 2 })))
  tools?: readonly string[];
  @Member(optional(integer({ min: 1, max: 50 })))
  maxSteps?: number;
}
class StartDto {
  @Member(uuid())
  conversationId: string;
  @Member(ofDto(InputDto))
  input: InputDto;
  @Member(optional(ofDto(ProfileDto)))
  profile?: ProfileDto;
  @Member(optional(oneOf(['a', 'b'])))
  kind?: 'a' | 'b';
}
class SwitchDto {
  @Member(optional(boolean()))
  fail?: boolean;
}
class FaultDto extends SwitchDto {
  @Member(optional(nullable(integer())))
  delay?: number | null;
}
class SpanDto {
  @Member(givenInstant())
  at: string;
}
class QueryDto {
  @QueryMember(integer({ min: 1, max: 100, default: 50 }))
  limit: number;
  @QueryMember(boolean({ default: false }))
  archived: boolean;
  @QueryMember(optional(boolean()))
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

  it('takes null for the absence of a member that may be absent, in objects within as well, and for nothing else', () => {
    const input = { text: 'x', artifactIds: null };
    expect(validateInto(StartDto, { conversationId: id, input, profile: null, kind: null })).toEqual({
      ok: true,
      value: { conversationId: id, input: { text: 'x' } },
    });
    expect(validateInto(FaultDto, { delay: null, fail: null })).toEqual({ ok: true, value: { delay: null } });
    expect(issuesOf(StartDto, { conversationId: null, input: null, other: null })).toEqual({
      '/conversationId': 'must be a UUID',
      '/input': 'must be an object',
      '/other': 'is not known',
    });
    const nulls = { conversationId: id, input: { text: 'x', artifactIds: [null] }, profile: { tools: [null] } };
    expect(Object.keys(issuesOf(StartDto, nulls))).toEqual(['/input/artifactIds/0', '/profile/tools/0']);
  });

  it('keeps an instant in UTC with milliseconds, however it is spelled', () => {
    const read = (at: unknown) => validateInto(SpanDto, { at });
    expect(read('2026-03-01T10:00:00.123456789+01:00')).toEqual({
      ok: true,
      value: { at: '2026-03-01T09:00:00.123Z' },
    });
    expect(issuesOf(SpanDto, { at: '2026-02-30T10:00:00Z' })).toEqual({
      '/at': 'must be an RFC 3339 date-time with an offset or Z, and at most nine fraction digits',
    });
  });

  it('takes neither an array for an object, nor a member of Object.prototype for its own', () => {
    expect(issuesOf(StartDto, {})).toEqual({ '/conversationId': 'is required', '/input': 'is required' });
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

  it('does not compile with a property of another type than its member', () => {
    class Drifting {
      @Member(text())
      fits: string;
      // @ts-expect-error a text is not a number
      @Member(text())
      number: number;
      // @ts-expect-error null where there is none
      @Member(nullable(text()))
      text: string;
      // @ts-expect-error a value of the set is missing
      @QueryMember(oneOf(['a', 'b']))
      one: 'a';
    }
    expect(Object.keys(issuesOf(Drifting, {}))).toHaveLength(4);
  });
});
