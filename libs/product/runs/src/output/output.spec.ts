import { faultInOutput, parseOutput } from './output';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };

describe('the structured output of a final answer', () => {
  it('is nothing when none was asked for, whatever the text is', () => {
    expect(parseOutput('{"n":1}', null)).toEqual({ valid: true, value: null });
    expect(parseOutput('not JSON', null)).toEqual({ valid: true, value: null });
  });

  it('is the JSON of the text where it satisfies the schema', () => {
    expect(parseOutput(' {"n": 1} ', schema)).toEqual({ valid: true, value: { n: 1 } });
    expect(parseOutput('null', { type: 'null' })).toEqual({ valid: true, value: null });
  });

  it('is not valid where the text is no JSON, or breaks the schema', () => {
    for (const text of ['', 'n', '{"n":1', '{"n":1.5}', '{"n":1,"m":2}', '[1]', '{}']) {
      expect(parseOutput(text, schema)).toEqual({ valid: false });
    }
  });

  it('is not valid where no store could hold it', () => {
    for (const text of [
      '"\\u0000"',
      '{"\\ud800":1}',
      `${'['.repeat(40)}${']'.repeat(40)}`,
      '['.repeat(100_000) + ']'.repeat(100_000),
    ]) {
      expect(parseOutput(text, {})).toEqual({ valid: false });
      expect(faultInOutput(text, {})).toContain('nested too deeply, or holds U+0000');
    }
    expect(parseOutput('"\\\\u0000"', {}).valid).toBe(true);
  });

  it('counts characters as code points, and integers as JSON Schema does', () => {
    expect(parseOutput('"🐦"', { type: 'string', maxLength: 1 }).valid).toBe(true);
    expect(parseOutput('1.0', { type: 'integer' }).valid).toBe(true);
  });
});
