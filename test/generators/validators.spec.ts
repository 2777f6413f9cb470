/** Validators of other people over the documents that the service serves (docs/decisions/conventions.md, "Published documents"); Redocly's lint is in test/surface/documents.spec.ts. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withinMs, Workshop } from './others';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await Workshop.open();
}, withinMs);
afterAll(() => workshop?.close());

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
}

it.each(['openapi.json', 'openapi-3.0.json'])(
  'Spectral finds no error in %s by its rules for OpenAPI',
  async (name) => {
    await writeFile(workshop.path('spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const options = ['--ruleset', 'spectral.yaml', '--fail-severity', 'error', '--display-only-failures'];
    const output = ['--format', 'json', '--output', workshop.path('findings.json')];
    const { code, stderr } = await workshop.tool('spectral', 'lint', ...options, ...output, name);
    expect(stderr).toBe('');
    // Reason for the assertion: so it writes what it found.
    const findings = JSON.parse(await readFile(workshop.path('findings.json'), 'utf8')) as Finding[];
    expect(findings.map(({ code: rule, message, path }) => `${rule}: ${message} /${path.join('/')}`)).toEqual([]);
    expect(code).toBe(0);
  },
  withinMs,
);

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
