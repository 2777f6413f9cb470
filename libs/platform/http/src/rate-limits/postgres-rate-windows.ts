import { Logger } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { GroupLoader } from '@app/runtime';
import { secondsOf } from './rate-limits';
import { RateWindows, type RateAnswer, type RateSubject, type SqlExecutor } from '../ports';

/** Limits of one call: the requests that it counts, and the requests that may wait. */
const requestsPerCallMax = 512;
const requestsWaitingMax = 10_000;
/** Idle subjects are deleted at most this often. */
const sweepEveryMs = 30_000;

/**
 * The rate windows in PostgreSQL, shared by all replicas. One call at a time counts all requests that wait in this process. A sweep follows
 * requests rather than a timer: an application whose start fails after `onModuleInit` has its database closed, but no destroy hook runs, so
 * that a timer would sweep a closed database for the rest of the process.
 */
export class PostgresRateWindows extends RateWindows {
  private readonly logger = new Logger(PostgresRateWindows.name);
  private readonly calls = new GroupLoader<readonly RateSubject[], readonly RateAnswer[]>(
    (requests) => this.count(requests),
    { batchMax: requestsPerCallMax, waitingMax: requestsWaitingMax },
  );
  private sweptAtMs: number;

  /** @param nowMs monotonic, in milliseconds */
  constructor(
    private readonly sql: SqlExecutor,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    super();
    this.sweptAtMs = nowMs();
  }

  consume(subjects: readonly RateSubject[]): Promise<readonly RateAnswer[]> {
    if (subjects.length < 1 || subjects.length > 2) throw new RangeError(`${subjects.length} subjects`);
    this.sweepIfDue();
    return this.calls.load(subjects);
  }

  private sweepIfDue(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.sweptAtMs < sweepEveryMs) return;
    this.sweptAtMs = nowMs;
    void this.sweep();
  }

  /** Deletes idle subjects; after a failure, they are deleted the next time. */
  async sweep(): Promise<void> {
    try {
      await this.sql.query('select sweep_rate_windows()', []);
    } catch (error) {
      this.logger.warn('idle rate windows were not swept', error);
    }
  }

  private async count(requests: readonly (readonly RateSubject[])[]): Promise<readonly (readonly RateAnswer[])[]> {
    const limits = new Map(requests.flat().map(({ subject, limit }) => [subject, limit]));
    // The order in which the rows are locked: the same in every replica, independent of its locale.
    const subjects = [...limits.keys()].sort();
    const places = new Map(subjects.map((subject, index) => [subject, index + 1]));
    const placeOf = (subject: RateSubject | undefined) =>
      subject === undefined ? 0 : (places.get(subject.subject) ?? 0);
    const [counted] = await this.sql.query<Counted>(
      // As JSON, because `pg` parses arrays character by character.
      'select to_json(first_left) as first_left, to_json(second_left) as second_left, to_json(wait_ms) as wait_ms, to_json(reset_ms) as reset_ms from take_from_rate_windows($1, $2, $3, $4, $5, $6)',
      [
        subjects,
        subjects.map((subject) => limits.get(subject)),
        `{${requests.map(([first]) => placeOf(first)).join()}}`,
        `{${requests.map(([, second]) => placeOf(second)).join()}}`,
        `{${requests.map(([first]) => first?.weight ?? 1).join()}}`,
        `{${requests.map(([, second]) => second?.weight ?? 1).join()}}`,
      ],
      'take_weights_from_rate_windows',
    );
    if (counted === undefined) throw new Unavailable('database');
    return requests.map((request, index) => {
      const left = [counted.first_left[index], counted.second_left[index]];
      const waitMs = counted.wait_ms[index] ?? 0;
      return request.flatMap((subject, step) =>
        answerOf(left[step] ?? null, counted.reset_ms[placeOf(subject) - 1] ?? 0, waitMs),
      );
    });
  }
}

interface Counted {
  readonly first_left: readonly (number | null)[];
  readonly second_left: readonly (number | null)[];
  readonly wait_ms: readonly number[];
  readonly reset_ms: readonly number[];
}

/** @param left requests that the window still admits; null: it was not tried; negative: it refused, and the value is -1 minus those left */
function answerOf(left: number | null, resetMs: number, waitMs: number): readonly RateAnswer[] {
  if (left === null) return [];
  const resetSeconds = secondsOf(resetMs);
  return left < 0
    ? [{ admitted: false, remaining: -1 - left, resetSeconds, waitSeconds: secondsOf(waitMs) }]
    : [{ admitted: true, remaining: left, resetSeconds, waitSeconds: 0 }];
}
