// Checks through the service's API that everything it acknowledged was really done.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from './client.mjs';

const lanes = 8;
const pageMax = 1_000;
const doneWithinMs = 120_000;
const lookAgainMs = 250;

/**
 * Reads every journal and every automation in the ledger, and waits for what is still in flight.
 * @returns {Promise<string[]>} the deviations, in words
 */
export async function audit(ledger) {
  const deadlineMs = performance.now() + doneWithinMs;
  const inTime = async (look) => {
    for (;;) {
      const findings = await look();
      if (findings.length === 0 || performance.now() > deadlineMs) return findings;
      await sleep(lookAgainMs);
    }
  };
  const looks = [
    ...[...ledger.conversations].map(
      ([id, promised]) =>
        () =>
          lookAtConversation(id, promised),
    ),
    ...ledger.automations.map((promised) => () => lookAtAutomation(promised)),
  ];
  const findings = [];
  const lane = async () => {
    for (let look = looks.pop(); look !== undefined; look = looks.pop()) findings.push(...(await inTime(look)));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return findings;
}

async function lookAtConversation(id, promised) {
  const events = await eventsOf(promised.user, id);
  await denyWhatWaits(promised.user, events);
  const findings = [
    ...gapsIn(events),
    ...promised.runs.flatMap((run) => runFindings(events, run)),
    ...decisionFindings(events, promised.decisions),
  ];
  const count = (matches) => events.filter(({ payload }) => matches(payload)).length;
  if (count(({ type }) => type === 'conversation.created') !== 1) findings.push('it was not created once');
  const isRenaming = ({ type, title }) => type === 'conversation.updated' && title === promised.title;
  if (promised.title !== null && count(isRenaming) !== 1) findings.push('it was not renamed once');
  return findings.map((what) => `conversation ${id}: ${what}`);
}

/**
 * The load gave up on these approvals before it had decided them. Their runs wait, and end once the approvals are
 * denied.
 */
async function denyWhatWaits(user, events) {
  const ids = (type) => events.filter(({ payload }) => payload.type === type).map(({ payload }) => payload.approvalId);
  const over = new Set([...ids('approval.decided'), ...ids('approval.expired')]);
  for (const id of ids('approval.opened').filter((one) => !over.has(one))) {
    await patiently(() => user.post(`/approvals/${id}/deny`, {}));
  }
}

function runFindings(events, { runId, seq }) {
  const count = (type) => events.filter(({ payload }) => payload.type === type && payload.runId === runId).length;
  const findings = [];
  if (events[seq - 1]?.payload.type !== 'run.started' || count('run.started') !== 1)
    findings.push(`run ${runId} did not start once, as event ${seq}`);
  if (count('run.ended') !== 1) findings.push(`run ${runId} ended ${count('run.ended')} times`);
  return findings;
}

function decisionFindings(events, decisions) {
  return [...decisions].flatMap(([approvalId, status]) => {
    const decided = events
      .map(({ payload }) => payload)
      .filter((payload) => payload.type === 'approval.decided' && payload.approvalId === approvalId);
    const isKept = decided.length === 1 && decided[0].status === status;
    return isKept ? [] : [`approval ${approvalId} was not ${status} once`];
  });
}

const gapsIn = (events) =>
  events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${seq} is in the place of ${index + 1}`]));

async function lookAtAutomation({ user, automationId }) {
  const { data } = await patiently(() => user.get(`/automations/${automationId}/occurrences`));
  const accepted = data.filter(({ delivery }) => delivery === 'accepted');
  if (data.length !== 1 || accepted.length !== 1) {
    const told = data.map(({ delivery, reason }) => `${delivery} ${reason?.text ?? ''}`).join(', ');
    return [`automation ${automationId} fired ${data.length} times (${told})`];
  }
  const events = await eventsOf(user, accepted[0].conversationId);
  const seq = events.find(({ payload }) => payload.type === 'run.started')?.seq;
  const findings = [...gapsIn(events), ...runFindings(events, { runId: accepted[0].runId, seq })];
  return findings.map((what) => `automation ${automationId}: ${what}`);
}

async function eventsOf(user, conversationId) {
  const events = [];
  let cursor = null;
  do {
    const query = `limit=${pageMax}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await patiently(() => user.get(`/conversations/${conversationId}/events?${query}`));
    events.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return events;
}

/** Repeats a refused request after the time that the refusal names, because the audit must not add load. */
async function patiently(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await sleep(error.retryAfterMs || lookAgainMs);
    }
  }
}
