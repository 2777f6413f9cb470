import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const journalPage = join(__dirname, '..', '..', 'docs', 'decisions', 'journal.md');

/**
 * Every operation of the specification with its name, method and path, listed by hand from the two documents that specify them. An
 * operation beyond the specification has no line here; its contract says why it exists.
 */
export const specifiedOperations = `
users.ensure POST /v1/users
users.me GET /v1/users/me
conversations.create POST /v1/users/{userId}/conversations
conversations.list GET /v1/users/{userId}/conversations
conversations.get GET /v1/users/{userId}/conversations/{conversationId}
conversations.update PATCH /v1/users/{userId}/conversations/{conversationId}
conversations.archive POST /v1/users/{userId}/conversations/{conversationId}/archive
conversations.messages GET /v1/users/{userId}/conversations/{conversationId}/messages
messages.rate POST /v1/users/{userId}/conversations/{conversationId}/messages/{messageId}/feedback
conversations.stream GET /v1/users/{userId}/conversations/{conversationId}/stream
events.list GET /v1/users/{userId}/conversations/{conversationId}/events
artifacts.upload POST /v1/users/{userId}/conversations/{conversationId}/artifacts
artifacts.list GET /v1/users/{userId}/conversations/{conversationId}/artifacts
artifacts.get GET /v1/users/{userId}/conversations/{conversationId}/artifacts/{artifactId}
artifacts.content GET /v1/users/{userId}/conversations/{conversationId}/artifacts/{artifactId}/content
runs.start POST /v1/users/{userId}/agent-runs
runs.list GET /v1/users/{userId}/agent-runs
runs.get GET /v1/users/{userId}/agent-runs/{runId}
runs.abort POST /v1/users/{userId}/agent-runs/{runId}/abort
approvals.list GET /v1/users/{userId}/approvals
approvals.get GET /v1/users/{userId}/approvals/{approvalId}
approvals.approve POST /v1/users/{userId}/approvals/{approvalId}/approve
approvals.deny POST /v1/users/{userId}/approvals/{approvalId}/deny
approvals.receipt GET /v1/users/{userId}/approvals/{approvalId}/receipt
activity GET /v1/users/{userId}/activity
automations.create POST /v1/users/{userId}/automations
automations.list GET /v1/users/{userId}/automations
automations.search GET /v1/users/{userId}/automations/search
automations.get GET /v1/users/{userId}/automations/{automationId}
automations.update PUT /v1/users/{userId}/automations/{automationId}
automations.remove DELETE /v1/users/{userId}/automations/{automationId}
automations.pause POST /v1/users/{userId}/automations/{automationId}/pause
automations.resume POST /v1/users/{userId}/automations/{automationId}/resume
automations.invoke POST /v1/users/{userId}/automations/{automationId}/invoke
automations.signal POST /v1/users/{userId}/automations/{automationId}/signal
automations.occurrences GET /v1/users/{userId}/automations/{automationId}/occurrences
automations.input GET /v1/users/{userId}/automations/{automationId}/inputs/{inputId}
automations.simulate POST /v1/users/{userId}/automations/{automationId}/simulate
automations.testCondition POST /v1/users/{userId}/automations/{automationId}/test-condition
automations.rotateWebhookSecret POST /v1/users/{userId}/automations/{automationId}/rotate-webhook-secret
automations.status GET /v1/users/{userId}/automations/{automationId}/status
automations.webhook POST /hooks/v1/{keyId}
wallets.ensure POST /v1/users/{userId}/wallet
wallets.get GET /v1/users/{userId}/wallet
wallets.withdrawalSources GET /v1/users/{userId}/wallet/withdrawals/sources
wallets.prepareWithdrawal POST /v1/users/{userId}/wallet/withdrawals
wallets.confirmWithdrawal POST /v1/users/{userId}/wallet/withdrawals/{operationId}/confirm
financialOperations.list GET /v1/users/{userId}/financial-operations
financialOperations.get GET /v1/users/{userId}/financial-operations/{operationId}
budget GET /v1/users/{userId}/budget
budget.entries GET /v1/users/{userId}/budget/entries
`
  .trim()
  .split('\n');

/** Calls outside the partner API: open ones, and those of the sandbox. */
export const specifiedBesides = `
GET /healthz
GET /readyz
GET /openapi.json
GET /asyncapi.json
GET /docs
POST /sandbox/v1/tokens
POST /sandbox/v1/operator-tokens
GET /sandbox/v1/clock
POST /sandbox/v1/clock
PUT /sandbox/v1/prices/{tokenId}
POST /sandbox/v1/deposits
GET /sandbox/v1/faults
PUT /sandbox/v1/faults
`
  .trim()
  .split('\n');

/** Every type of journal event, read from the table of the page that decides on them. */
export const specifiedEvents = readFileSync(journalPage, 'utf8')
  .split('\n')
  .filter((line) => /^\| `(?!payload\.type`)[a-z_]+\.[a-z_]+`/.test(line))
  .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z_.]+)`/g)].map(([, type]) => type ?? ''));
