import type { FastifyInstance } from 'fastify';
import type { Draining } from './draining';
import type { OperationPlan } from './operation';
import type { Readiness, ReadinessCheck } from './ports';

const checkWithinMs = 1_000;

/** The dependencies that `GET /readyz` reports; whoever holds one adds its check when its module starts. */
export class ReadinessChecks {
  private readonly checks = new Map<string, ReadinessCheck>();

  add(check: ReadinessCheck): void {
    this.checks.set(check.name, check);
  }

  /** The state of every dependency, each within a second. */
  async run(): Promise<Record<string, Readiness>> {
    const states = [...this.checks.values()].map(async (check) => [check.name, await stateOf(check)] as const);
    return Object.fromEntries(await Promise.all(states));
  }
}

async function stateOf(check: ReadinessCheck): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, checkWithinMs, 'away');
  });
  try {
    return await Promise.race([check.check(), late]);
  } catch {
    // That the check failed is its answer; the dependency's own code logs why.
    return 'away';
  } finally {
    clearTimeout(timer);
  }
}

/** `GET /healthz`: the process answers. `GET /readyz`: it should be sent requests (503 while draining or a store is away). */
export function serveHealth(fastify: FastifyInstance, checks: ReadinessChecks, draining: Draining): void {
  fastify.get('/healthz', { config: { plan: openPlan('healthz') } }, () => ({ status: 'ok' }));
  fastify.get('/readyz', { config: { plan: openPlan('readyz') } }, async (_request, reply) => {
    const states = await checks.run();
    const status = draining.begun ? 'draining' : worstOf(Object.values(states));
    return reply.code(status === 'ok' || status === 'degraded' ? 200 : 503).send({ status, checks: states });
  });
}

/** Health checkers may send what they like. */
function openPlan(operation: string): OperationPlan {
  const unchecked = { bodyDto: 'unchecked', queryDto: 'unchecked' } as const;
  return { operation, account: 'not required', body: 'bytes', bodyLimitBytes: null, ...unchecked };
}

function worstOf(states: readonly Readiness[]): Readiness {
  return (['away', 'degraded'] as const).find((state) => states.includes(state)) ?? 'ok';
}
