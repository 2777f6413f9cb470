/** Collectors of traces that break every rule of a connection: no process waits for one at its end. */
import { impoliteOutcomes } from '@app/testing/impolite';
import { OtlpTracing } from '../src/observability/otlp-tracing.adapter';

it('an OpenTelemetry collector', async () => {
  const found = await impoliteOutcomes({
    attempt: async (url) => {
      const tracing = OtlpTracing.to(url, false);
      tracing.begin('x', {})?.end();
      await tracing.onApplicationShutdown();
    },
    limitMs: 2_000,
  });
  expect(found.hanging).toEqual([]);
});
