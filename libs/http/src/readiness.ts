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
