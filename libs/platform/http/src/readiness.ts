import type { Readiness, ReadinessCheck } from './ports';

type State = Awaited<ReturnType<ReadinessCheck['check']>>;

const checkWithinMs = 1_000;
/** A check that hangs this long may hang on a lost connection while others have recovered, so a new one is started. */
const askAnewMs = 5_000;

/** The answer of `GET /readyz`: its status and its body. */
export interface ReadinessReport {
  readonly code: 200 | 503;
  readonly body: { readonly status: Readiness | 'draining'; readonly checks: Readonly<Record<string, Readiness>> };
}

/** Prefix of checks that name one stream, by an id of a user or of an object of theirs. */
const ofOneStream = 'stream ';
/** The check of the database, from which other checks read. */
const database = 'database';

/** The report for a port that is open to all: it reports that streams are in trouble, but not whose. */
export function withoutStreamNames({ code, body }: ReadinessReport): ReadinessReport {
  const named = Object.entries(body.checks);
  const others = named.filter(([name]) => !name.startsWith(ofOneStream));
  const streams: readonly (readonly [string, Readiness])[] =
    others.length < named.length ? [['streams', 'degraded']] : [];
  return { code, body: { ...body, checks: Object.fromEntries([...others, ...streams]) } };
}

/** The dependencies that `GET /readyz` reports; the owner of each adds its check when its module starts. */
export class ReadinessChecks {
  private readonly checks = new Map<string, ReadinessCheck>();
  private readonly running = new Map<string, Promise<State>>();

  add(check: ReadinessCheck): void {
    this.checks.set(check.name, check);
  }

  /** The state of every dependency and the worst of them, within a second. */
  async report(isDraining: boolean): Promise<ReadinessReport> {
    const found = await Promise.all(
      [...this.checks.values()].map(async (check) => ({ check, state: await this.within(check) })),
    );
    const isDatabaseAway = found.some(({ check, state }) => check.name === database && state !== 'ok');
    const checks = Object.fromEntries(
      found.flatMap(({ check, state }) => {
        // Reporting it would blame a dependency that may be well; only the database is known to be away.
        if (state === null && check.throughDatabase === true && isDatabaseAway) return [];
        const said = state ?? 'away';
        return typeof said === 'string' ? [[check.name, said] as const] : Object.entries(said);
      }),
    );
    const status = isDraining ? 'draining' : worstOf(Object.values(checks));
    return { code: status === 'ok' || status === 'degraded' ? 200 : 503, body: { status, checks } };
  }

  /** The state; null if the check fails or is late. */
  private async within(check: ReadinessCheck): Promise<State | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, checkWithinMs, null);
    });
    try {
      return await Promise.race([this.once(check), late]);
    } catch {
      // A failing check is an answer; the dependency's own code logs the reason.
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs one check at a time, however often it is requested, because a hanging one must not take a connection of the pool each time. */
  private once(check: ReadinessCheck): Promise<State> {
    const before = this.running.get(check.name);
    if (before !== undefined) return before;
    const forget = (): void => {
      clearTimeout(timer);
      if (this.running.get(check.name) === running) this.running.delete(check.name);
    };
    const timer = setTimeout(forget, askAnewMs);
    const running = check.check().finally(forget);
    this.running.set(check.name, running);
    return running;
  }
}

function worstOf(states: readonly Readiness[]): Readiness {
  return (['away', 'degraded'] as const).find((state) => states.includes(state)) ?? 'ok';
}
