export { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from './approvals.module';
