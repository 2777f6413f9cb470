import { abortedEnd, erasedRequest, profileOf } from '@app/conversations';
import type { ConversationEvent, OpenApproval, RunEnd, RunRequest, RunState } from '@app/conversations';
import type { RunProfile, ToolOutcome } from '@app/conversations';
import type { ApprovalDecider, ApprovalEvent, ApprovalStatus } from '@app/consent';
import { applyFold, asId, openedOr, openOr, words } from '@app/kernel';
import type { AutomationId, Folds, Instant, JsonValue, Personal, ToolCallId } from '@app/kernel';
import { stepLimitEnd } from '@app/runs';

/** A run folded from its own events: everything that the engine needs to continue it, also after another worker executed it. */
export interface RunProgress {
  /** The user's message. */
  readonly input: string;
  readonly profile: RunProfile;
  /** The automation whose occurrence the run is, from its `run.started`; null for a run that its user started. */
  readonly automationId: AutomationId | null;
  readonly stopping: boolean;
  /** Messages of the user that have joined it since and that no step has read; oldest first. */
  readonly unheard: readonly string[];
  /** The model's steps, oldest first; each was journaled whole. */
  readonly steps: readonly JournaledStep[];
  readonly segmentCostMicroCents: number;
  /** The last segment that had a holder; 0 before. */
  readonly claimedSegment: number;
  /** The time of the decision that began the present segment; null in the first. */
  readonly resumedAt: Instant | null;
}

/** The model's text in a step, and its calls. @property heard what the user had said since the step before */
export interface JournaledStep {
  readonly heard: readonly string[];
  readonly text: string | null;
  /** Whether the text is complete; false for an answer that was broken off. */
  readonly isWhole: boolean;
  readonly calls: readonly JournaledCall[];
}

export interface JournaledCall {
  readonly toolCallId: ToolCallId;
  readonly tool: string;
  readonly input: JsonValue;
  /** The approval that was opened for it; null where none was. */
  readonly approval: CallApproval | null;
  /** Whether a worker that may have run it was lost before it returned. */
  readonly cutOff: boolean;
  /** Null until it has returned. */
  readonly returned: { readonly outcome: ToolOutcome; readonly result: JsonValue } | null;
}

/** An approval as the executor needs it: exactly what was reviewed, and its status. */
export interface CallApproval extends Omit<OpenApproval, 'kind' | 'tool' | 'toolCallId' | 'automationId'> {
  readonly status: ApprovalStatus;
  readonly denialReason: string | null;
  /** Null while it is pending, and if it has expired. */
  readonly decidedBy: ApprovalDecider | null;
}

/** The engine's next action for a run. */
export type NextAction =
  | { readonly kind: 'run_tools'; readonly calls: readonly JournaledCall[] }
  /** These need the user's consent; all other calls of their step have returned. */
  | { readonly kind: 'ask_consent'; readonly calls: readonly JournaledCall[] }
  /** Approvals are pending; the last decision resumes the run. */
  | { readonly kind: 'wait' }
  /** `repairing`: the last answer does not satisfy the output schema, and this is the only attempt to repair it. */
  | { readonly kind: 'ask_model'; readonly repairing: boolean }
  | { readonly kind: 'end'; readonly end: RunEnd };

/**
 * Decides the next action of a run. Pure, so it can be called again after any crash.
 * @param asks whether a tool needs consent, by the registry
 */
export function next(progress: RunProgress, asks: (tool: string) => boolean): NextAction {
  if (progress.stopping) return { kind: 'end', end: abortedEnd };
  const open = callsOf(progress).filter(({ returned }) => returned === null);
  if (open.some(({ approval }) => approval?.status === 'pending')) return { kind: 'wait' };
  const unasked = open.filter(({ tool, approval }) => approval === null && asks(tool));
  const ready = open.filter((call) => !unasked.includes(call));
  if (ready.length > 0) return { kind: 'run_tools', calls: ready };
  if (unasked.length > 0) return { kind: 'ask_consent', calls: unasked };
  if (progress.steps.length >= progress.profile.maxSteps) {
    return { kind: 'end', end: stepLimitEnd };
  }
  // A valid answer ends the run in its own append, so an answer without calls here needs a repair, or the user has said something more.
  const repairing = progress.steps.at(-1)?.calls.length === 0 && progress.unheard.length === 0;
  return { kind: 'ask_model', repairing };
}

type StartOfRun = Pick<RunState, 'resolved' | 'agentInstructions'> & { readonly request: Personal<RunRequest> };

/** The progress of a run before its first event. */
export function startedProgress({ request, resolved, agentInstructions }: StartOfRun): RunProgress {
  const nothingYet = {
    stopping: false,
    unheard: [],
    steps: [],
    segmentCostMicroCents: 0,
    claimedSegment: 0,
    resumedAt: null,
  };
  const asked = openOr(request, erasedRequest);
  const begun = { input: asked.input.text, profile: profileOf(asked, resolved, agentInstructions) };
  return { ...begun, automationId: null, ...nothingYet };
}

/** Folds an event of the run; events that do not affect the next action return the progress unchanged. */
export function progressAfter(progress: RunProgress, event: ConversationEvent): RunProgress {
  if (!('runKey' in event)) return progress;
  return 'approvalId' in event ? approvalsAfter(progress, event) : applyFold(folds, progress, event);
}

type RunEvent = Exclude<Extract<ConversationEvent, { readonly runKey: unknown }>, ApprovalEvent>;

const folds: Folds<RunProgress, RunEvent> = {
  'run.started': (progress, { automationId, holder }) => ({
    ...progress,
    automationId: automationId === null ? null : asId(automationId),
    claimedSegment: holder === null ? 0 : 1,
  }),
  'run.claimed': (progress, { segment }) =>
    segment > progress.claimedSegment ? { ...progress, claimedSegment: segment } : claimAgain(progress),
  'run.resumed': (progress, { at, segment, holder }) => ({
    ...progress,
    resumedAt: at,
    segmentCostMicroCents: 0,
    claimedSegment: holder === null ? progress.claimedSegment : segment,
  }),
  'run.stopping': (progress) => ({ ...progress, stopping: true }),
  'run.steered': (progress, { input }) => ({
    ...progress,
    unheard: [...progress.unheard, openOr(input, erasedRequest.input).text],
  }),
  // Each message that no step has read is the input of a run of its own.
  'run.ended': (progress) => (progress.unheard.length === 0 ? progress : { ...progress, unheard: [] }),
  'agent.step': (progress, { costMicroCents, heard }) => ({
    ...progress,
    unheard: progress.unheard.slice(heard),
    steps: [...progress.steps, { heard: progress.unheard.slice(0, heard), text: null, isWhole: false, calls: [] }],
    segmentCostMicroCents: progress.segmentCostMicroCents + costMicroCents,
  }),
  'agent.message': (progress, { text, truncated }) =>
    withLastStep(progress, (step) => ({ ...step, text: openOr(text, null), isWhole: !truncated })),
  'tool.called': (progress, { toolCallId, tool, input }) => {
    const call = { toolCallId, tool, input: openedOr(input, null), approval: null, cutOff: false, returned: null };
    return withLastStep(progress, (step) => ({ ...step, calls: [...step.calls, call] }));
  },
  'tool.returned': (progress, { toolCallId, outcome, result }) =>
    withCall(progress, (call) => call.toolCallId === toolCallId, {
      returned: { outcome, result: openedOr(result, null) },
    }),
};

/** A second claim of a segment: its last worker may have started the open calls, except those that the user denied. */
function claimAgain(progress: RunProgress): RunProgress {
  const { steps } = progress;
  const last = steps.at(-1);
  // A broken-off answer stays paid for, and is asked for again as if it had not begun.
  if (last?.isWhole === false && last.calls.length === 0)
    return { ...progress, steps: steps.slice(0, -1), unheard: [...last.heard, ...progress.unheard] };
  const mayHaveRun = ({ returned, approval }: JournaledCall) =>
    returned === null && (approval === null || approval.status === 'approved');
  return withCall(progress, mayHaveRun, { cutOff: true });
}

function approvalsAfter(progress: RunProgress, event: ApprovalEvent): RunProgress {
  if (event.type === 'approval.opened') {
    const { approvalId, fingerprint, fingerprintVersion, walletId, contract, expiresAt } = event;
    // Without its words an approval does not fit its fingerprint, so nothing is done by it.
    const input = openedOr(event.input, null);
    const [summary, terms] = [openOr(event.summary, words``), openOr(event.terms, [])];
    const reviewed = { approvalId, walletId, input, contract, summary, terms, expiresAt, fingerprint };
    const pending = { status: 'pending', denialReason: null, decidedBy: null } as const;
    const approval = { ...reviewed, fingerprintVersion, ...pending };
    // A call that waits for approval has not started, whichever worker was lost before.
    return withCall(progress, (call) => call.toolCallId === event.toolCallId, { approval, cutOff: false });
  }
  const ended =
    event.type === 'approval.decided' ? event : ({ status: 'expired', denialReason: null, decidedBy: null } as const);
  const { status, decidedBy } = ended;
  const denialReason = openOr(ended.denialReason, null);
  const call = callsOf(progress).find(({ approval }) => approval?.approvalId === event.approvalId);
  if (call?.approval == null) return progress;
  return withCall(progress, (one) => one === call, { approval: { ...call.approval, status, denialReason, decidedBy } });
}

/** Every call of the run so far, oldest first. */
function callsOf({ steps }: RunProgress): readonly JournaledCall[] {
  return steps.flatMap(({ calls }) => calls);
}

function withCall(
  progress: RunProgress,
  isIt: (call: JournaledCall) => boolean,
  change: Partial<JournaledCall>,
): RunProgress {
  const steps = progress.steps.map((step) =>
    step.calls.some(isIt)
      ? { ...step, calls: step.calls.map((call) => (isIt(call) ? { ...call, ...change } : call)) }
      : step,
  );
  return { ...progress, steps };
}

/** Messages and calls follow their step in one append. */
function withLastStep(progress: RunProgress, change: (step: JournaledStep) => JournaledStep): RunProgress {
  const last = progress.steps.at(-1);
  return last === undefined ? progress : { ...progress, steps: [...progress.steps.slice(0, -1), change(last)] };
}
