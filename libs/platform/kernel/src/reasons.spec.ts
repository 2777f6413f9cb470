import { problemKinds, reasons } from './reasons';
import { because, invalid, notFound } from './refusal';
import { Unavailable } from './unavailable';

/** The table of the specification ("Errors") with the kinds and `retryable` of docs/decisions/conventions.md, "Problems", row by row. */
const specified = `
  run_active               409 conflict         true
  budget_exhausted         409 conflict         true
  approval_not_pending     409 conflict         false
  execution_capacity       409 conflict         true
  execution_unavailable    409 conflict         true
  stop_pending             409 conflict         true
  automation_changed       409 conflict         false
  automation_held          409 conflict         true
  automation_invalid       409 conflict         false
  automation_completed     409 conflict         false
  automation_limit         409 conflict         false
  profile_unknown_tool     409 conflict         false
  deployment_paused        409 conflict         true
  run_not_active           409 conflict         false
  withdrawal_changed       409 conflict         false
  credential_expired       401 unauthenticated  false
  partner_key_required     401 unauthenticated  false
  partner_key_invalid      401 unauthenticated  false
  account_disabled         403 forbidden        false
  subject_mismatch         403 forbidden        false
  origin_rejected          403 forbidden        false
  permission_required      403 forbidden        false
  account_not_provisioned  412 not_provisioned  false
  provider_unavailable     503 unavailable      true
  engine_unavailable       503 unavailable      true
  invalid_input            400 invalid_input    false
  invalid_cursor           400 invalid_input    false
  internal                 500 internal         false
  rate_limited             429 rate_limited     true
  stream_capacity          429 rate_limited     true`;

/** The reasons of the operator API alone, which the specification does not define. */
const ofOperators = `
  projection_state         409 conflict         false
  differences_unseen       409 conflict         false`;

const rows = (specified + ofOperators)
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/));

describe('reasons', () => {
  it('are those of the specification, in its order, and then those of operators', () => {
    expect(
      Object.entries(reasons).map(([reason, { status, kind, retryable }]) => [
        reason,
        String(status),
        kind,
        String(retryable),
      ]),
    ).toEqual(rows);
  });

  it.each(Object.entries(reasons))('%s has the status of its kind, and a title', (_, { status, kind, title }) => {
    expect(problemKinds[kind].status).toBe(status);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
  });

  it('have kinds of which each status has one', () => {
    const statuses = Object.values(problemKinds).map(({ status }) => status);
    expect(statuses).toEqual([400, 401, 403, 404, 405, 409, 412, 413, 415, 416, 429, 500, 503]);
  });
});

describe('refusals', () => {
  it('name a reason, and override its retryable only when asked to (a frozen budget)', () => {
    expect(because('run_active')).toEqual({ kind: 'reason', reason: 'run_active' });
    expect(because('budget_exhausted', false)).toEqual({
      kind: 'reason',
      reason: 'budget_exhausted',
      retryable: false,
    });
  });

  it('point at the part of the input that failed', () => {
    expect(invalid('/runId', 'is taken')).toEqual({
      kind: 'invalid_input',
      issues: [{ path: '/runId', message: 'is taken' }],
    });
    expect(notFound).toEqual({ kind: 'not_found' });
  });
});

describe('Unavailable', () => {
  it('says which dependency did not answer, why, and under which reason', () => {
    const cause = new Error('connect ECONNREFUSED');
    const plain = new Unavailable('database', { cause });
    expect([plain.message, plain.cause, plain.reason]).toEqual(['the database did not answer', cause, undefined]);
    expect(new Unavailable('execution engine', { reason: 'engine_unavailable' }).reason).toBe('engine_unavailable');
  });
});
