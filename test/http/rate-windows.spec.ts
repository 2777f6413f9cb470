import {
  PostgresRateWindows,
  rateWeightsMigration,
  rateWindowsMigration,
  type RateAnswer,
  type RateSubject,
} from '@app/http';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { PoolExecutor } from './pool-executor';

const user: RateSubject = { subject: 'user:u', limit: 300 };

let database: TestDatabase;
let executors: PoolExecutor[];
/** Two processes over one database. */
let replicas: PostgresRateWindows[];
let admin: PoolExecutor;

beforeEach(async () => {
  database = await createTestDatabase();
  admin = new PoolExecutor(database.url);
  await admin.query(rateWindowsMigration, []);
  await admin.query(rateWeightsMigration, []);
  executors = [new PoolExecutor(database.url), new PoolExecutor(database.url)];
  replicas = executors.map((executor) => new PostgresRateWindows(executor));
});

afterEach(async () => {
  await Promise.all([admin, ...executors].map((executor) => executor.end()));
  await database.drop();
});

/** Moves all counts into the past, as if this time had passed. */
async function letPass(ms: number): Promise<void> {
  const slots = ms / 100;
  await admin.query('update rate_windows set slot = slot - $1, oldest = oldest - $1', [slots]);
  await admin.query('update rate_window_slots set slot = slot - $1', [slots]);
}

const takeMany = (count: number, subjects: readonly RateSubject[] = [user]): Promise<(readonly RateAnswer[])[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => replicas[index % 2]!.consume(subjects)));
const admittedOf = (answers: readonly (readonly RateAnswer[])[]) =>
  answers.filter((steps) => steps.every((step) => step.admitted)).length;

describe('rate windows in PostgreSQL', () => {
  it('admit exactly the limit from two replicas at once, and count no refused request', async () => {
    expect(admittedOf(await takeMany(1000))).toBe(300);
    const [refused] = await replicas[0]!.consume([user]);
    expect(refused).toMatchObject({ admitted: false, remaining: 0 });
    expect(refused!.resetSeconds).toBeGreaterThan(55);
    expect(refused!.resetSeconds).toBeLessThanOrEqual(60);
    const rows = await admin.query<{ used: number }>('select used from rate_windows', []);
    expect(rows).toEqual([{ used: 300 }]);
  });

  it('slide: a request leaves when it is 60 s old, and not before', async () => {
    expect(admittedOf(await takeMany(100))).toBe(100);
    await letPass(30_000);
    expect(admittedOf(await takeMany(250))).toBe(200);
    await letPass(29_500);
    expect(admittedOf(await takeMany(1))).toBe(0);
    await letPass(700);
    expect(admittedOf(await takeMany(150))).toBe(100);
    await letPass(30_000);
    expect(admittedOf(await takeMany(350))).toBe(200);
  });

  it('count a request against its user only when its key admits it', async () => {
    const key: RateSubject = { subject: 'key:k', limit: 10 };
    const answers = await takeMany(30, [key, user]);
    expect(admittedOf(answers)).toBe(10);
    expect(answers.filter((steps) => steps.length === 1)).toHaveLength(20);
    const [now] = await replicas[1]!.consume([user]);
    expect(now).toMatchObject({ admitted: true, remaining: 289 });
  });

  it('count a request as several of its user, as many as its weight, and say when there is room for so many', async () => {
    const key: RateSubject = { subject: 'key:k', limit: 1000 };
    const heavy: RateSubject = { ...user, weight: 10 };
    expect(admittedOf(await takeMany(20, [key, heavy]))).toBe(20);
    await letPass(20_000);
    expect(admittedOf(await takeMany(95, [key, user]))).toBe(95);
    const refused = await replicas[0]!.consume([key, heavy]);
    expect(refused).toMatchObject([
      { admitted: true, remaining: 884 },
      { admitted: false, remaining: 5 },
    ]);
    expect(refused[1]!.waitSeconds).toBeLessThanOrEqual(41);
    expect(admittedOf(await takeMany(6, [key, user]))).toBe(5);
    await letPass(41_000);
    expect(admittedOf(await takeMany(21, [key, heavy]))).toBe(20);
  });

  it('tell a heavy request to wait until enough of the window is free, not only its oldest place', async () => {
    const limited: RateSubject = { subject: 'user:few', limit: 12 };
    const heavy: RateSubject = { ...limited, weight: 10 };
    expect(admittedOf(await takeMany(2, [limited]))).toBe(2);
    await letPass(30_000);
    expect(admittedOf(await takeMany(10, [limited]))).toBe(10);
    const [answer] = await replicas[0]!.consume([heavy]);
    expect(answer).toMatchObject({ admitted: false, remaining: 0 });
    // A window is exact to a tenth of a second, the length of its slots.
    expect(answer!.resetSeconds).toBeLessThanOrEqual(31);
    expect(answer!.waitSeconds).toBeGreaterThan(31);
    expect(await replicas[1]!.consume([{ subject: 'user:tiny', limit: 4, weight: 10 }])).toMatchObject([
      { admitted: true, remaining: 0 },
    ]);
  });

  it('never deadlock, whatever subjects meet', async () => {
    const subject = (index: number): RateSubject => ({ subject: `user:${(index * 7919) % 60}`, limit: 1_000_000 });
    const answers = await Promise.all(
      Array.from({ length: 6000 }, (_, index) =>
        replicas[index % 2]!.consume([subject(index), subject(index * 31 + 1)]),
      ),
    );
    expect(admittedOf(answers)).toBe(6000);
    const [total] = await admin.query<{ used: string }>('select sum(used) as used from rate_windows', []);
    // A request whose two subjects are equal counts twice.
    expect(Number(total!.used)).toBe(12_000);
  });

  it('need few statements for many requests', async () => {
    await takeMany(4000);
    expect(executors[0]!.calls).toBeLessThanOrEqual(8);
  });

  it('forget idle subjects', async () => {
    await takeMany(5);
    await letPass(80_000);
    await replicas[0]!.sweep();
    expect(await admin.query('select 1 from rate_windows', [])).toEqual([]);
    expect(await admin.query('select 1 from rate_window_slots', [])).toEqual([]);
  });

  it('start again when the clock was set back', async () => {
    await takeMany(300);
    await letPass(-3_600_000);
    expect(admittedOf(await takeMany(300))).toBe(300);
  });
});
