export { unlikeTheEvents } from './log-audit';
export { auditMoney } from './deployment-audit';
export { auditOperations } from './money-audit';
export { settled, unbalanced, unlikeAReplay } from './stores-audit';
export { auditJournal, type Findings, type Seen } from './journal-audit';
export { keysIn, openedEvents } from './opened-events';
