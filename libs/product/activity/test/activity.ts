import type { TestClient } from '@app/testing/client';
import type { Listed } from '@app/testing/journeys';

/** ConversationActivityItem, with the members that tests read. */
export interface Item extends Record<string, unknown> {
  readonly id: string;
  readonly kind: string;
  readonly origin: string;
}

interface Overview {
  readonly active: Listed;
  readonly recent: Listed;
  readonly history: Listed<Item>;
}

/** The answer of `activity`, which must succeed. */
export async function overview(user: TestClient, query = ''): Promise<Overview> {
  const { status, body } = await user.get<Overview>(`/activity?${query}`);
  expect([status, Object.keys(body).sort()]).toEqual([200, ['active', 'history', 'recent']]);
  expect(Object.keys(body.history).sort()).toEqual(['data', 'nextCursor']);
  return body;
}

export async function history(user: TestClient, query = ''): Promise<Listed<Item>> {
  return (await overview(user, query)).history;
}

/** The whole history, page by page, newest first. */
export async function allItems(user: TestClient, query = ''): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null && items.length < 1_000;) {
    const page: Listed<Item> = await history(user, cursor === '' ? query : `${query}&cursor=${cursor}`);
    items.push(...page.data);
    cursor = page.nextCursor;
  }
  return items;
}
