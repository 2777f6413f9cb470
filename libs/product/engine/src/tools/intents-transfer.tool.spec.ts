import type { JsonValue } from '@app/kernel';
import { read } from '@app/schema';
import { withoutAbsent } from '@app/testing/documents';
import { alterations, contracts } from '@app/testing/properties';
import { ContractShape } from '@app/wallets';
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import { toolOf } from '../tool-declaration';
import { IntentsTransfer } from './intents-transfer.tool';

const none = {} as never; // reason for the assertion: a tool's declaration uses none of its dependencies
const { inputSchema } = toolOf(new IntentsTransfer(none, none, none, none));
const validates = new Ajv2020({ strict: false }).compile(inputSchema);

/** Places that the schema for models leaves loose: the members of each kind of action, and how amounts are spelled. */
const toldLoosely = /^\/actions\/\d+(\/(output|input|quantity(\/(kind|amountRaw|value|bps))?))?$/;

/** The places where the reader finds a contract wrong; none if it accepts it. */
function wrongPaths(contract: JsonValue): readonly string[] {
  const found = read(ContractShape, contract);
  return found.ok || found.refusal.kind !== 'invalid_input' ? [] : found.refusal.issues.map(({ path }) => path);
}

it('models are told of every contract that is taken, and of few others', () => {
  const differing: unknown[] = [];
  const counts = { taken: 0, refused: 0, loose: 0 };
  for (const contract of fc.sample(contracts, { seed: 11, numRuns: 5 })) {
    for (const { what, value } of alterations(JSON.parse(JSON.stringify(contract)) as JsonValue)) {
      const wrong = wrongPaths(value);
      const isTold = validates(withoutAbsent({ contract: value }, inputSchema));
      if (wrong.length === 0) counts.taken += 1;
      else if (isTold) counts.loose += 1;
      else counts.refused += 1;
      const isRight = wrong.length === 0 ? isTold : !isTold || wrong.every((path) => toldLoosely.test(path));
      if (!isRight) differing.push([what, value, wrong]);
    }
  }
  expect(differing.slice(0, 3)).toEqual([]);
  expect(counts.taken).toBeGreaterThan(50);
  expect(counts.refused).toBeGreaterThan(5 * counts.loose);
});
