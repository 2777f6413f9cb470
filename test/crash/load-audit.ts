import type { Deployment } from '@app/testing/deployment';
import { auditJournal, settled, unlikeAReplay } from '@app/testing/audits';
import { Load } from './load';

const nothing = { wrong: [], left: [], unlike: [], lost: [], doubled: [], stuck: [], gaps: [], books: [] };

export interface Disturbance {
  readonly rounds: number;
  /** Callers at once; each takes the next api replica. */
  readonly callers: number;
  /** For each wait until all callers are served. */
  readonly withinMs: number;
  /** Done once in every round, while the load goes on. */
  disturb(round: number): Promise<void>;
  /** Looked at once everybody is served again. */
  recovered?(): void;
  /** What was done, for the line of figures. */
  done(): string;
}

/**
 * Disturbs a deployment under load, round after round: everybody is served before and after. At the end everything that was
 * acknowledged is there once, all books agree, and 503 `retryable` is all that was seen beside. Prints a line of figures.
 */
export async function disturbUnderLoad(
  deployment: Deployment,
  { rounds, callers, withinMs, disturb, recovered, done }: Disturbance,
): Promise<void> {
  const users = await Promise.all(Array.from({ length: callers }, () => deployment.newUser()));
  const { baseUrls, databaseUrl, eventStoreUrl } = deployment;
  const load = new Load(users.map((user, index) => user.via(baseUrls[index % baseUrls.length] ?? '')));
  let slowestBackMs = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      await load.untilServed(withinMs);
      await disturb(round);
      slowestBackMs = Math.max(slowestBackMs, await load.untilServed(withinMs));
      recovered?.();
    }
  } finally {
    await load.stop();
  }
  const { events, left } = await settled(databaseUrl, eventStoreUrl);
  const audit = auditJournal(events, load.acknowledged, []);
  const unlike = await unlikeAReplay(databaseUrl, events);
  process.stdout.write(
    `${done()}, ${load.acknowledged.length} acknowledged, ${audit.lost.length} lost, ${load.refusals} answers 503 retryable, ` +
      `${load.wrong.length} others, back within ${Math.round(slowestBackMs)} ms, slowest answer ${Math.round(load.slowestMs)} ms\n`,
  );
  expect({ wrong: load.wrong, left, unlike, ...audit }).toEqual(nothing);
}
