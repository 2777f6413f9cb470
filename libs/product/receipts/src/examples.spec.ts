import { Approval, pendingExample } from '@app/approvals';
import { fingerprintOf } from '@app/canonical';
import { standalone } from '@app/http';
import { json, object, withName, optional } from '@app/schema';
import { signingKey } from '@app/transparency';
import { withdrawalExamples } from '@app/wallets';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { canonicalIn } from '../test/histories';
import { exampleLog, receiptExample } from './receipt.example';
import { ReceiptShape, type Receipt } from './receipt.schema';
import { verifyReceipt } from './receipt-verifier';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Named in the schemas and described by automations; no example here contains one. */
const anotherSlices = optional(withName('AutomationDefinition', json()));

/** The examples of the contract must be true, since partners build on them. */
describe('the examples of the reference', () => {
  const received = JSON.parse(JSON.stringify(receiptExample)) as Receipt;

  it('have a receipt that proves what it says', () => {
    const key = signingKey('log', exampleLog.origin, exampleLog.seed);
    const report = verifyReceipt(received, { log: [key], witnesses: [], needed: 0 });
    expect(report).toMatchObject({ holds: true, checkpoint: { origin: exampleLog.origin, size: 8 } });
    expect(report.proven.map(({ aspect }) => aspect)).toEqual([
      'bytes',
      'conclusions',
      'history',
      'inclusion',
      'signature',
    ]);
  });

  it('tell of one withdrawal everywhere', () => {
    const { prepared, operation } = withdrawalExamples;
    expect(received.operation).toEqual(operation);
    expect(received.review.fingerprint).toBe(prepared.fingerprint);
    expect(received.approval).toMatchObject({
      id: prepared.approvalId,
      contract: prepared.contract,
      status: 'approved',
    });
  });

  it('are of their schemas', () => {
    for (const [schema, value] of [
      [Approval, pendingExample],
      [Approval, received.approval],
      [ReceiptShape, received],
    ] as const) {
      const fits = ajv.compile(standalone(object({ value: schema, definition: anotherSlices })));
      fits(JSON.parse(JSON.stringify({ value })));
      expect(fits.errors ?? []).toEqual([]);
    }
  });

  it('hash to the fingerprint that they show', () => {
    const canonical = canonicalIn(received);
    // Reason for the assertion: the reviewed document is an object.
    expect(fingerprintOf(JSON.parse(canonical) as object)).toBe(received.approval.fingerprint);
  });
});
