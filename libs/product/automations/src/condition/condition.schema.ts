import {
  byName,
  choice,
  withoutOthers,
  constant,
  exactly,
  integer,
  json,
  list,
  oneOf,
  optional,
  shape,
  text,
  variants,
} from '@app/schema';
import { compareOps, conditionBounds, nameForm, tokenIdForm } from './condition-parser';
import type { Condition, RuleNode } from './condition';
import { pointerForm } from './json-pointers';

const { bindingsMax, ageSecondsMax, skewSecondsMax, depthMax, nodesMax, fieldLengthMax, ruleBytesMax } =
  conditionBounds;

const tokenId = text({
  pattern: tokenIdForm,
  description: 'As the wallet names the token; it may be one that the wallet does not hold',
});

const TokenPriceSource = withoutOthers(
  shape(
    'TokenPriceSource',
    { kind: constant('token_price'), tokenId },
    { description: 'Sampled every 60 s; fields see `{tokenId, priceUsd}`' },
  ),
);

const WalletBalanceSource = withoutOthers(
  shape(
    'WalletBalanceSource',
    { kind: constant('wallet_balance'), tokenId },
    {
      description: "Sampled every 60 s; fields see `{tokenId, amountRaw, amount, valueUsd}` of the user's agent wallet",
    },
  ),
);

const EventSource = withoutOthers(
  shape(
    'EventSource',
    { kind: constant('event') },
    {
      description: 'The event that woke the rule, or that a signal handed over; fields see the whole of it (`/data/…`)',
    },
  ),
);

const Binding = withoutOthers(
  shape(
    'Binding',
    {
      name: text({ pattern: nameForm }),
      source: variants([TokenPriceSource, WalletBalanceSource, EventSource], { by: 'kind' }),
      maxAgeSeconds: integer({ min: 1, max: ageSecondsMax, description: 'An older value counts as not readable' }),
    },
    { description: 'Gives a source a name, of its own among the bindings, by which the rule refers to it' },
  ),
);

const Operand = choice(
  'Operand',
  [
    {
      binding: text({ pattern: nameForm, description: 'One of the bindings; any other name is `automation_invalid`' }),
      field: text({
        max: fieldLengthMax,
        pattern: pointerForm,
        description: 'A JSON pointer (RFC 6901) into what the source delivers; the empty one is the whole',
      }),
    },
    { value: json({ description: 'JSON of at most 16 KiB, 8 levels and 256 entries' }) },
  ],
  { description: 'A value of a source, `binding` and `field`; or one that stands in the rule itself, `value`' },
);

const node = byName<RuleNode>('RuleNode');
const nodes = list(node, { min: 1, max: nodesMax });

const Comparison = withoutOthers(
  shape(
    'Comparison',
    { left: Operand, op: oneOf(compareOps), right: Operand },
    {
      description:
        'Texts that are spelled as decimals compare as decimals, exactly, with numbers; `contains`: a part of a text, or an item of a list. Values of other mixed types cannot be compared: unknown, `invalid_value`',
    },
  ),
);

/** A rule, and each part of one. */
const Node = exactly<RuleNode>()(
  choice('RuleNode', [{ all: nodes }, { any: nodes }, { not: node }, { compare: Comparison }, { exists: Operand }], {
    description: `Has exactly one of these members. At most ${depthMax} deep, ${nodesMax} nodes and ${ruleBytesMax / 1024} KiB in all. What cannot be read is unknown, never false (Kleene logic). \`exists\` is false on a missing field, and unknown on a source that cannot be read`,
  }),
);

/** What must hold for an automation to fire. */
export const ConditionShape = exactly<Condition>()(
  withoutOthers(
    shape('Condition', {
      bindings: list(Binding, { min: 1, max: bindingsMax }),
      rule: Node,
      skewSeconds: optional(
        integer({
          min: 0,
          max: skewSecondsMax,
          description: 'The greatest distance in time between two snapshots of one evaluation',
        }),
      ),
    }),
  ),
);
