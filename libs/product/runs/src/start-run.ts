import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, isBusy, isKnownRun, isWritable, notReplaceable } from '@app/conversations';
import type { ConversationState, ReplacedMessage, RunRequest } from '@app/conversations';
import { FoldedStates, KeyedQueue } from '@app/event-store';
import { validateInto } from '@app/http';
import { asId, because, invalid, isJsonObject, notFound, ok, parseUuid, refuse } from '@app/kernel';
import type {
  Cause,
  ConversationId,
  Instant,
  MessageId,
  ProcessId,
  Refusal,
  Result,
  RunId,
  RunKey,
  UserId,
} from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import { QueueInputs } from './queue/queue-inputs';
import { RunAdmission, type AdmissionOptions, type Admitted, type NewRun } from './run-admission';
import { mayBeMinted, runBindingKind, runKeyOf, steeredMessageId } from './run-binding';
import { EngineCatalog, resolveProfile, type Resolution } from './run-profile';
import { StartRunDto, type WhenBusy } from './runs.dto';
import { RunQueries } from './runs.queries';
import type { StartedRun } from './run.schema';

/**
 * The request of a run exactly as it was sent: input and profile of a body that has passed its DTO. A member that was sent as null is
 * absent (docs/decisions/conventions.md, "Bodies").
 */
export function requestIn(body: unknown): RunRequest {
  const sent: Readonly<Record<string, unknown>> = isJsonObject(body) ? body : {};
  const parts = (['input', 'profile'] as const).flatMap((name) => {
    const part = sent[name];
    return isJsonObject(part) ? [[name, withoutNulls(part)] as const] : [];
  });
  const request: object = Object.fromEntries(parts);
  // Reason for the assertion: the DTO has validated it.
  return request as RunRequest;
}

function withoutNulls(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Most starts of one conversation that wait for each other in this process. */
const waitingStartsMax = 1_000;

/**
 * Starts a run in a conversation (docs/decisions/runs.md): replay, then validation, then the admission, in the documented order of
 * refusals. Answers once the run is recorded and visible. @throws Unavailable
 */
export class StartRun extends Command<Result<StartedRun>> {
  /** @param body the request's JSON body, not validated yet: a replay is answered without reading its other members */
  constructor(
    readonly userId: UserId,
    readonly body: unknown,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(StartRun)
export class StartRunHandler implements ICommandHandler<StartRun> {
  // Starts of one conversation queue up here, so that the first of many gets its chance.
  private readonly conversations = new KeyedQueue(waitingStartsMax);

  constructor(
    private readonly states: FoldedStates,
    private readonly queries: RunQueries,
    private readonly gate: ReadGate,
    private readonly admission: RunAdmission,
    private readonly offer: EngineCatalog,
    private readonly queue: QueueInputs,
  ) {}

  async execute({ userId, body, cause }: StartRun): Promise<Result<StartedRun>> {
    const { conversationId, runId } = idsIn(body);
    if (conversationId === null || runId === 'malformed') return refuse(notAsSpecified(body));
    return this.conversations.run(conversationId, async () => {
      const replay = runId === null ? null : await this.replay(userId, runId, conversationId);
      if (replay !== null) return replay;
      const resolved = await this.resolveIn({ userId, conversationId }, body);
      if (!resolved.ok) return resolved;
      const { whenBusy, isBusy: busy, replaces, ...resolution } = resolved.value;
      const replaced = replaces === null ? null : await this.queries.findReplaceable(conversationId, replaces);
      if (replaces !== null && replaced === null) return refuse(notReplaceable);
      const id = runId ?? asId<RunId>(uuidV7());
      const run = { userId, conversationId, runId: id, runKey: runKeyOf(userId, id), cause };
      const asked = { request: requestIn(body), ...resolution, ...(replaced !== null && { replaces: replaced }) };
      return this.start(run, asked, { chosenId: runId !== null, whenBusy, isBusy: busy });
    });
  }

  /** Resolves the body in that conversation. A refusal is answered only on a state that was read after the request arrived. */
  private async resolveIn(
    { userId, conversationId }: Pick<NewRun, 'userId' | 'conversationId'>,
    body: unknown,
  ): Promise<Result<Asked>> {
    const resolveOn = ({ state }: { readonly state: ConversationState }): Result<Asked> => {
      if (!isWritable(state, userId)) return refuse(notFound);
      const validated = validateInto(StartRunDto, body);
      return validated.ok ? this.resolve(validated.value, state) : validated;
    };
    const resolved = resolveOn(await this.states.cached(conversationKind, conversationId));
    // Whether the conversation is busy decides on the answer, so that must be as of now.
    if (resolved.ok && resolved.value.whenBusy === 'reject') return resolved;
    return resolveOn(await this.states.fresh(conversationKind, conversationId));
  }

  private resolve({ input, profile, whenBusy = 'reject' }: StartRunDto, state: ConversationState): Result<Asked> {
    const resolved = resolveProfile(profile, this.offer);
    if (!resolved.ok) return resolved;
    const { artifactIds = [], replaces } = input;
    const unknown = artifactIds.findIndex((id) => !state.artifacts.some(({ artifactId }) => artifactId === id));
    if (unknown >= 0) {
      return refuse(invalid(`/input/artifactIds/${unknown}`, 'is not an artifact of this conversation'));
    }
    const common = { ...resolved.value, isBusy: isBusy(state) };
    // A replacement neither waits nor joins: the line that it cuts must not go on meanwhile.
    if (replaces !== undefined) return ok({ ...common, whenBusy: 'reject', replaces: asId(replaces.toLowerCase()) });
    return ok({ ...common, whenBusy, replaces: null });
  }

  /** The recorded run of that id, or null when there is none to repeat. */
  private async replay(
    userId: UserId,
    runId: RunId,
    conversationId: ConversationId,
  ): Promise<Result<StartedRun> | null> {
    const runKey = runKeyOf(userId, runId);
    const bound = await this.boundTo(runId, runKey);
    if (bound === null) return null;
    if (bound !== conversationId) {
      return refuse(invalid('/runId', 'belongs to another conversation'));
    }
    const { state } = await this.states.fresh(conversationKind, conversationId);
    return this.findRecorded(state, { conversationId, runId, runKey });
  }

  /** The conversation that the id is already bound to; null if it is new. */
  private async boundTo(runId: RunId, runKey: RunKey): Promise<string | null> {
    const { state } = await this.states.fresh(runBindingKind, runKey);
    if (state.conversationId !== null || !mayBeMinted(runId)) return state.conversationId;
    return (await this.queries.find(runKey))?.conversationId ?? null;
  }

  private async findRecorded(
    state: ConversationState,
    { conversationId, runId, runKey }: Pick<NewRun, 'conversationId' | 'runId' | 'runKey'>,
  ): Promise<Result<StartedRun> | null> {
    const open = state.openRuns[runId];
    if (open !== undefined) return ok({ runId, conversationId, status: open.status, seq: open.startedSeq });
    const waiting = state.queued.find((one) => one.runId === runId);
    if (waiting !== undefined) return ok({ runId, conversationId, status: 'waiting', seq: waiting.seq });
    // The state contains the newest ended runs only; the read model knows all of them.
    const row = await this.queries.find(runKey);
    if (row !== null) return ok({ runId, conversationId, status: row.status, seq: row.startedSeq });
    // It may have joined another run.
    const joined = await this.queries.findByMessage(steeredMessageId(runKey));
    if (joined !== null) return ok({ ...joined, conversationId });
    // Whether it ever ran is unknown while the read model is behind.
    return isKnownRun(state, runId) || !this.gate.projecting ? refuse(because('execution_unavailable')) : null;
  }

  /** Starts the run, or does what the request says about a conversation that is busy. */
  private async start(run: NewRun, asked: Requested, options: Options): Promise<Result<StartedRun>> {
    const { whenBusy, isBusy } = options;
    const steer = () => (whenBusy === 'steer' ? this.steer(run, asked, options) : null);
    const joined = isBusy ? await steer() : null;
    if (joined !== null) return joined;
    const admitted =
      isBusy && whenBusy === 'queue' ? refuse(because('run_active')) : await this.admit(run, asked, options);
    if (whenBusy === 'reject' || !isRunActive(admitted))
      return admitted.ok ? this.recorded(run, admitted.value) : admitted;
    // A run has become live since, or others wait.
    const late = isBusy ? null : await steer();
    if (late !== null) return late;
    const queued = await this.queue.add(run, asked, options);
    return queued.ok ? this.recorded(run, queued.value) : queued;
  }

  private admit(run: NewRun, asked: Requested, { chosenId, whenBusy }: Options): Promise<Result<Admitted>> {
    const { runId, runKey, userId } = run;
    const messageId = asId<MessageId>(uuidV7());
    const origin = { origin: 'user', automationId: null, occurrenceId: null, alone: whenBusy === 'queue' } as const;
    const begin = (at: Instant, holder: ProcessId | null) =>
      ({ type: 'StartRun', at, runId, runKey, userId, messageId, holder, ...origin, ...asked }) as const;
    return this.admission.admit(run, begin, { chosenId });
  }

  private async steer(run: NewRun, { request }: Requested, options: Options): Promise<Result<StartedRun> | null> {
    const steered = await this.queue.steer(run, request.input, options);
    if (steered?.ok !== true) return steered;
    const { position, ...answer } = steered.value;
    await this.gate.waitForProjection(position);
    return ok(answer);
  }

  /** The answer, once everybody can read the run. */
  private async recorded(run: NewRun, { state, position }: Admitted): Promise<Result<StartedRun>> {
    await this.gate.waitForProjection(position);
    const recorded = await this.findRecorded(state, run);
    if (recorded === null) throw new Error(`run ${run.runKey} was admitted and is not there`);
    return recorded;
  }
}

type Asked = Resolution & {
  readonly whenBusy: WhenBusy;
  readonly isBusy: boolean;
  readonly replaces: MessageId | null;
};
type Requested = Resolution & { readonly request: RunRequest; readonly replaces?: ReplacedMessage };
type Options = AdmissionOptions & Pick<Asked, 'whenBusy' | 'isBusy'>;

function isRunActive(result: Result<unknown>): boolean {
  return !result.ok && result.refusal.kind === 'reason' && result.refusal.reason === 'run_active';
}

/** The ids that decide on a replay, before anything else of the body counts. */
function idsIn(body: unknown): { conversationId: ConversationId | null; runId: RunId | null | 'malformed' } {
  if (!isJsonObject(body)) return { conversationId: null, runId: null };
  const runId = parseUuid<RunId>(body['runId']);
  // Serializers write absence as null.
  const isGiven = Object.hasOwn(body, 'runId') && body['runId'] !== null;
  return {
    conversationId: parseUuid<ConversationId>(body['conversationId']),
    runId: runId === null && isGiven ? 'malformed' : runId,
  };
}

/** The refusal with every fault of a body whose ids cannot be read. */
function notAsSpecified(body: unknown): Refusal {
  const validated = validateInto(StartRunDto, body);
  return validated.ok ? invalid('', 'must be an object') : validated.refusal;
}
