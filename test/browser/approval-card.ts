import type { Locator } from 'playwright-core';
import type { TestClient } from '@app/testing/client';
import type { Approval, Listed } from '@app/testing/journeys';
import { until } from '@app/testing/until';

/** The user's pending approval, as the service returns it. */
export async function pendingApproval(user: TestClient): Promise<Approval> {
  return until('the approval', async () => (await user.get<Listed<Approval>>('/approvals')).body.data[0]);
}

/** Names and texts of the terms that a card shows, in their order. */
export async function termsOf(card: Locator): Promise<string[]> {
  return card.locator('.terms').locator('dt, dd').allTextContents();
}

/** The card's value for a label. */
export async function factOf(card: Locator, label: string): Promise<string | null> {
  return card.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd[1]').textContent();
}
