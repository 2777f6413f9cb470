import { isProblem, isReason, isUnreachable } from '../problems.js';
import type { Schemas } from '../types.js';
import { BadChatRequest, isId, readAnswers, readBody, readMessage } from './chat-request.js';
import { toUIMessageStreamResponse, UnknownCursor, type UIMessageStreamOptions } from './chat-stream.js';
import { readHistory, startOfLiveRun, watchMessages } from './history.js';
import { leavable, readConversation, type ChatScope } from './open-journal.js';
import { sseBytes, uiMessageStreamHeaders } from './sse.js';
import type { TellingEnd } from './telling.js';

export interface ChatHandlerOptions extends Omit<ChatScope, 'conversationId'>, TellingEnd {
  /** The path at which the handler is mounted: `/api/chat`. */
  readonly path: string;
  /** Profile of every run of this page. */
  readonly profile?: Schemas['RunProfile'];
}

/** The description of a failure that a page receives. */
export interface ChatProblem {
  readonly reason: string;
  readonly title: string;
  readonly retryable: boolean;
  readonly requestId?: string;
}

type Route = (scope: ChatScope, request: Request, options: ChatHandlerOptions) => Promise<Response>;

/**
 * Serves the requests of `ParleyChatTransport` for the user who is signed in; returns null if the path is not one of
 * its own. Call it after your own checks of session and origin: the browser has neither the partner's key nor the
 * user's token.
 *
 * `GET /{id}` history · `POST /{id}/messages` · `POST /{id}/answers` · `GET /{id}/stream` · `GET /{id}/watch` · `POST
 * /{id}/stop`
 */
export async function handleChat(request: Request, options: ChatHandlerOptions): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${options.path}/`)) return null;
  const [conversationId = '', action = '', ...rest] = pathname.slice(options.path.length + 1).split('/');
  const route = routes[`${request.method} ${action}`];
  if (route === undefined || rest.length > 0 || !isId(conversationId)) return null;
  const { parley, signal } = options;
  try {
    const scope = { parley, conversationId, ...(signal !== undefined && { signal }) };
    return await route(scope, request, options);
  } catch (error) {
    return chatProblem(error);
  }
}

const routes: Readonly<Record<string, Route | undefined>> = {
  'GET ': async (scope) => Response.json(await readHistory(scope), { headers: { 'cache-control': 'no-store' } }),
  'POST messages': async (scope, request, options) => {
    const { runId, text, artifactIds } = readMessage(await readBody(request));
    const more = {
      ...(artifactIds.length > 0 && { artifactIds }),
      ...(options.profile !== undefined && { profile: options.profile }),
    };
    return toUIMessageStreamResponse(streamOf(scope, options, { type: 'send', runId, text, ...more }));
  },
  'POST answers': async (scope, request, options) => {
    const { cursor, answers } = readAnswers(await readBody(request));
    return toUIMessageStreamResponse(streamOf(scope, options, { type: 'answer', cursor, answers }));
  },
  'GET stream': async (scope, request, options) => {
    const cursor = request.headers.get('last-event-id');
    if (cursor !== null) return toUIMessageStreamResponse(streamOf(scope, options, { type: 'resume', cursor }));
    const startedSeq = await startOfLiveRun(scope);
    if (startedSeq === null) return new Response(null, { status: 204 });
    return toUIMessageStreamResponse(streamOf(scope, options, { type: 'replay', startedSeq }));
  },
  'GET watch': async (scope, request) => {
    const after = Number(request.headers.get('last-event-id') ?? 0);
    if (!Number.isSafeInteger(after) || after < 0) throw new BadChatRequest('last-event-id: no seq');
    await readConversation(scope);
    const { 'content-type': type, 'cache-control': cache, 'x-accel-buffering': buffering } = uiMessageStreamHeaders;
    const headers = { 'content-type': type, 'cache-control': cache, 'x-accel-buffering': buffering };
    const { scope: watched, leave } = leavable(scope);
    return new Response(sseBytes(watchMessages(watched, after), leave), { headers });
  },
  'POST stop': async (scope) => {
    const { liveRunId } = await readConversation(scope);
    if (liveRunId !== null) await scope.parley.runs.abort({ runId: liveRunId });
    return new Response(null, { status: 204 });
  },
};

function streamOf(
  scope: ChatScope,
  { until, settledWithinMs }: ChatHandlerOptions,
  request: UIMessageStreamOptions['request'],
): UIMessageStreamOptions {
  return {
    ...scope,
    request,
    ...(until !== undefined && { until }),
    ...(settledWithinMs !== undefined && { settledWithinMs }),
  };
}

/** Returns a failure as a response that `ParleyChatTransport` understands. Rethrows errors of the program. */
export function chatProblem(error: unknown): Response {
  if (isProblem(error)) {
    const { status, reason, title, retryable, requestId } = error;
    // A problem with the server's own key does not concern the user, and is no reason to sign in again.
    if (isReason(error, 'partner_key_required', 'partner_key_invalid'))
      return problem(500, { reason: 'internal', title: 'A fault of this server', retryable: false, requestId });
    return problem(status, { reason: reason ?? String(status), title, retryable, requestId });
  }
  if (isUnreachable(error)) {
    return problem(503, { reason: 'unreachable', title: 'Parley did not answer', retryable: true });
  }
  if (error instanceof BadChatRequest || error instanceof UnknownCursor) {
    return problem(400, { reason: 'invalid_input', title: error.message, retryable: false });
  }
  throw error;
}

function problem(status: number, body: ChatProblem): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
