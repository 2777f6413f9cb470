/**
 * Third-party validators, run on the documents that the service serves (docs/decisions/conventions.md, "Published documents"); Redocly's
 * lint is in test/surface/documents.spec.ts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withinMs, Workshop } from './others';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await Workshop.open();
}, withinMs);
afterAll(() => workshop?.close());

const openApis = ['openapi.json', 'openapi-3.0.json'];

interface Finding {
  readonly source: string;
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
}

describe('Spectral', () => {
  let findings: Finding[];
  beforeAll(async () => {
    await writeFile(workshop.path('spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const options = ['--ruleset', 'spectral.yaml', '--fail-severity', 'error', '--display-only-failures'];
    const output = ['--format', 'json', '--output', workshop.path('findings.json')];
    const { code, stderr } = await workshop.tool('spectral', 'lint', ...options, ...output, ...openApis);
    expect(stderr).toBe('');
    // Reason for the assertion: the shape in which it writes its findings.
    findings = JSON.parse(await readFile(workshop.path('findings.json'), 'utf8')) as Finding[];
    expect(code).toBe(findings.length === 0 ? 0 : 1);
  }, withinMs);

  it.each(openApis)('finds no error in %s by its rules for OpenAPI', (name) => {
    const others = openApis.filter((other) => other !== name);
    const own = findings.filter(({ source }) => !others.some((other) => source.endsWith(`/${other}`)));
    expect(own.map(({ code: rule, message, path }) => `${rule}: ${message} /${path.join('/')}`)).toEqual([]);
  });
});

it(
  'the parser of AsyncAPI finds no error in asyncapi.json',
  async () => {
    const { code, stdout, stderr } = await workshop.run(process.execPath, [
      join(__dirname, 'asyncapi.cjs'),
      workshop.path('asyncapi.json'),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([]);
  },
  withinMs,
);
