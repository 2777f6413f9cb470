import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, jsonText, Operation, pageTextOf } from '@app/http';
import { notFound, refuse, type ApprovalId, type Reason } from '@app/kernel';
import { pendingExample } from './approval.example';
import { Approval, ApprovalPage, Decided, type ApprovalView } from './approval.schema';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approvals.dto';
import { ApprovalQueries, approvalView } from './approvals.queries';
import { DecideApproval } from './decide-approval';
import { receiptExample } from './receipt.example';
import { ReceiptShape, type Receipt } from './receipt.schema';
import { Receipts } from './receipts';

/** Why a decision is not recorded; all but the first leave the approval pending. */
const undecided: readonly Reason[] = [
  'approval_not_pending',
  'run_active',
  'execution_capacity',
  'execution_unavailable',
  'stop_pending',
  'engine_unavailable',
];

/** Approvals (specification, "Approvals"; docs/decisions/approvals.md). */
@Controller('/v1/users/:userId/approvals')
export class ApprovalsController {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly decisions: DecideApproval,
    private readonly receipts: Receipts,
    private readonly cursors: Cursors,
  ) {}

  @Get()
  @Header(...jsonText)
  @Operation('approvals.list', {
    summary: 'Approvals, newest first',
    answer: ApprovalPage,
    answerExample: { data: [pendingExample], nextCursor: null, total: 1 },
  })
  async list(@Caller() { userId }: Caller, @Query() query: ListApprovalsDto): Promise<string> {
    const { cursor, limit, status = 'pending' } = query;
    const binding = { list: 'approvals.list', userId, filters: { status } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, status, before, limit + 1),
      this.queries.total(userId, status),
    ]);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total);
  }

  @Get(':approvalId')
  @Operation('approvals.get', {
    summary: 'One approval with its immutable review input',
    description: 'Show the user `summary`, `contract`, `input` and `fingerprint`, then send the decision.',
    answer: Approval,
    answerExample: pendingExample,
  })
  async get(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<ApprovalView> {
    const approval = await this.queries.findAsOfNow(userId, approvalId);
    return approval === null ? answer(refuse(notFound)) : approvalView(approval);
  }

  @Post(':approvalId/approve')
  @HttpCode(200)
  @Operation('approvals.approve', {
    summary: 'Approve exactly what was reviewed',
    description:
      'Of the approvals that one run waits for, the decision that leaves none pending resumes it and takes an execution slot: where it cannot, nothing is recorded. A direct withdrawal is approved by `wallets.confirmWithdrawal` alone. After an ambiguous answer read the approval.',
    requestExample: { fingerprint: pendingExample.fingerprint },
    answer: Decided,
    answerExample: { decided: true },
    reasons: undecided,
  })
  async approve(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { fingerprint }: ApproveDto,
  ): Promise<Decided> {
    return answer(await this.decisions.approve(caller, approvalId, fingerprint));
  }

  @Post(':approvalId/deny')
  @HttpCode(200)
  @Operation('approvals.deny', {
    summary: 'Deny what was asked',
    description:
      'The run goes on without the result of the call, and takes an execution slot like new work: where it cannot, nothing is recorded. A direct withdrawal is over with it.',
    requestExample: { reason: 'Not this month' },
    answer: Decided,
    answerExample: { decided: true },
    reasons: undecided,
  })
  async deny(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { reason }: DenyDto,
  ): Promise<Decided> {
    return answer(await this.decisions.deny(caller, approvalId, reason ?? null));
  }

  /** The document that proves what was reviewed, what was decided and what came of it; `verifyReceipt` checks it offline. */
  @Get(':approvalId/receipt')
  @Operation('approvals.receipt', {
    summary: 'The document that proves what was reviewed, decided and done',
    description:
      'Everything in it follows from `events`, the stored bytes themselves, so that it is verified offline: `npm run verify-receipt -- receipt.json`.',
    answer: ReceiptShape,
    answerExample: receiptExample,
  })
  async receipt(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<Receipt> {
    return answer(await this.receipts.of(userId, approvalId));
  }
}
