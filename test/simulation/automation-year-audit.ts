import { epochMsOf } from '@app/kernel';
import { dueOf } from './due-oracle';
import type { AutomationYear } from './automation-year';
import type { Outcome, Subject } from './automation-year-streams';

const minuteMs = 60_000;
/** An occurrence later than this is rejected (docs/decisions/automations.md). */
const lateMaxMs = 60 * minuteMs;
/** The year requires that everything due in an outage is handled within this time after its end. */
const catchUpMs = 20 * minuteMs;

/** The outcomes of all due times of a year. */
interface YearFigures {
  due: number;
  fired: number;
  rejected: number;
  /** Due times in an outage that a later one superseded: only the latest counts. */
  passedOver: number;
  lateMostMs: number;
  readonly twice: string[];
  readonly lost: string[];
  readonly wrong: string[];
}

/** Compares the recorded events with the due times of an independent calendar. */
export function audited(year: AutomationYear): YearFigures {
  const figures: YearFigures = {
    due: 0,
    fired: 0,
    rejected: 0,
    passedOver: 0,
    lateMostMs: 0,
    twice: [],
    lost: [],
    wrong: [],
  };
  const outages = joined(year.outages);
  for (const subject of year.streams.subjects.values()) auditSubject(subject, year.endMs, outages, figures);
  return figures;
}

type Outage = AutomationYear['outages'][number];

/** Merges outages that are too close together for the schedulers to catch up in between. */
function joined(outages: readonly Outage[]): Outage[] {
  return outages.reduce<Outage[]>((before, next) => {
    const last = before.at(-1);
    if (last === undefined || next.fromMs > last.toMs + catchUpMs) return [...before, next];
    return [...before.slice(0, -1), { fromMs: last.fromMs, toMs: Math.max(last.toMs, next.toMs) }];
  }, []);
}

function auditSubject(subject: Subject, endMs: number, outages: readonly Outage[], figures: YearFigures): void {
  const { plan, createdMs, fired, automationId } = subject;
  const due = dueOf(plan, createdMs, endMs);
  const expected = new Set(due);
  for (const dueMs of fired.keys())
    if (dueMs <= endMs && !expected.has(dueMs)) figures.wrong.push(`${named(subject, dueMs)} was not due`);
  for (const [index, dueMs] of due.entries()) {
    figures.due += 1;
    const outage = outages.find(({ fromMs, toMs }) => dueMs >= fromMs - minuteMs && dueMs <= toMs);
    const outcome = fired.get(dueMs);
    if (outcome === undefined) {
      const nextMs = due[index + 1] ?? Infinity;
      const isPassedOver = outage !== undefined && nextMs <= outage.toMs + catchUpMs;
      if (isPassedOver) figures.passedOver += 1;
      else figures.lost.push(named(subject, dueMs));
    } else auditOutcome(outcome, outage !== undefined, named(subject, dueMs), figures);
  }
  if (subject.state?.active.some(({ forAt }) => epochMsOf(forAt) <= endMs) !== false)
    figures.wrong.push(`${automationId} did not settle`);
  if (plan.kind === 'once' && subject.state?.completed !== true) figures.wrong.push(`${automationId} did not finish`);
}

function auditOutcome(outcome: Outcome, inOutage: boolean, name: string, figures: YearFigures): void {
  const { lateMs } = outcome;
  const course = courseOf(outcome);
  // The product decides a little before the occurrence is recorded.
  const mayFire = lateMs <= lateMaxMs + minuteMs;
  if (course === 'twice') figures.twice.push(name);
  else if (course === 'fired' && mayFire) figures.fired += 1;
  else if (course === 'rejected' && lateMs > lateMaxMs) figures.rejected += 1;
  else figures.wrong.push(`${name}: ${JSON.stringify(outcome)}`);
  if (inOutage) return;
  if (lateMs > catchUpMs) figures.wrong.push(`${name} was ${lateMs} ms late for no reason`);
  figures.lateMostMs = Math.max(figures.lateMostMs, lateMs);
}

function courseOf({ arose, accepted, rejected, runs, finished }: Outcome): 'fired' | 'rejected' | 'twice' | 'odd' {
  if (Math.max(arose, accepted, rejected, runs, finished) > 1) return 'twice';
  const course = [accepted, runs, finished, rejected].join();
  if (course === '1,1,1,0') return 'fired';
  return course === '0,0,0,1' ? 'rejected' : 'odd';
}

function named({ automationId, plan }: Subject, dueMs: number): string {
  return `${automationId} (${JSON.stringify(plan)}) of ${new Date(dueMs).toISOString()}`;
}
