/** `parley protect-streams` refuses stores without access lists, and one whose account it does not know, before it asks anything. */
import { parleyProgram } from '../src/program';

const named = process.env['EVENTSTORE_URL'];
afterEach(() => {
  if (named === undefined) delete process.env['EVENTSTORE_URL'];
  else process.env['EVENTSTORE_URL'] = named;
});

async function refusal(url: string, ...options: readonly string[]): Promise<string> {
  process.env['EVENTSTORE_URL'] = url;
  const program = parleyProgram(() => undefined);
  const failed: unknown = await program.parseAsync(['node', 'parley', 'protect-streams', ...options]).then(
    () => 'it did something',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
  return String(failed);
}

it.each([
  ['unix:/nowhere', ['--account', 'parley'], /^the embedded event store is reached by the service alone$/],
  ['esdb://parley:a@127.0.0.1:9?tls=false', [], /^an event store without users \(tls=false\) has no access lists/],
  ['esdb://127.0.0.1:9?tls=true', [], /^EVENTSTORE_URL names no user/],
])('refuses %s', async (url, options, words) => {
  expect(await refusal(url, ...options)).toMatch(words);
});
