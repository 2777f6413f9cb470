export { auditMoney, auditOperations } from './money-audit';
export { readAllEvents, settled, unbalanced, unlikeAReplay } from './stores-audit';
export { auditJournal, type Findings, type Seen } from './journal-audit';
