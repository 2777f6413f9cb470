export interface Answer {
  readonly status: number;
  readonly reason: string | undefined;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** The headers of a request, and its other options. */
export type Asking = readonly [headers: Record<string, string>, init?: RequestInit];

/** The answer to a request; its body is empty if there is none. */
export async function answerTo(url: string, ...[headers, init = {}]: Asking): Promise<Answer> {
  const response = await fetch(url, { ...init, headers: { ...headers, ...init.headers } });
  const text = await response.text();
  // Reason for the assertions: answers are objects, and the reason of a problem is a text.
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, reason: body['reason'] as string | undefined, headers: response.headers, body };
}

/** Status and reason of the answer to a request. */
export async function outcomeOf(url: string, ...how: Asking): Promise<[number, string | undefined]> {
  const { status, reason } = await answerTo(url, ...how);
  return [status, reason];
}

/** A text that can be a partner key. */
export function keyOf(text: string): string {
  return `pk_${text.padEnd(43, '0')}`;
}
