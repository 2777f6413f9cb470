import { isBoundedJson, pointerForm, pointerTo } from '@app/kernel';
import {
  choice,
  withoutOthers,
  constant,
  custom,
  exactly,
  integer,
  json,
  list,
  oneOf,
  optional,
  orErased,
  recursive,
  refine,
  shape,
  text,
  variants,
} from '@app/schema';
import { compareOps, conditionBounds, type Condition, type RuleNode, type ShownCondition } from './condition';

const { bindingsMax, ageSecondsMax, skewSecondsMax, depthMax, nodesMax, fieldLengthMax, ruleBytesMax } =
  conditionBounds;

export const nameForm = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const nameRule = 'must be a letter and up to 31 letters, digits, _ or -';

const tokenId = text({
  // Any token id of a provider, without spaces.
  pattern: /^[!-~]{1,512}$/,
  message: 'must be a token id of 1 to 512 characters without spaces',
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
      name: text({ pattern: nameForm, message: nameRule }),
      source: variants([TokenPriceSource, WalletBalanceSource, EventSource], {
        by: 'kind',
        brief:
          'Fields that a pointer sees: /tokenId /priceUsd of token_price; /tokenId /amountRaw /amount /valueUsd of wallet_balance; of an event the whole of it, its data under /data',
      }),
      maxAgeSeconds: integer({
        min: 1,
        max: ageSecondsMax,
        message: `must be a whole number of seconds from 1 to ${ageSecondsMax}`,
        description: 'An older value counts as not readable',
        brief: 'Older cannot be read; sampled every 60 seconds',
      }),
    },
    { description: 'Gives a source a name, of its own among the bindings, by which the rule refers to it' },
  ),
);

const Operand = choice(
  'Operand',
  [
    {
      binding: text({
        pattern: nameForm,
        message: nameRule,
        description: 'One of the bindings; any other name is `automation_invalid`',
      }),
      field: text({
        max: fieldLengthMax,
        pattern: pointerForm,
        message: `must be a JSON pointer (RFC 6901) of at most ${fieldLengthMax} characters`,
        brief: 'JSON pointer, such as /priceUsd',
        description: 'A JSON pointer (RFC 6901) into what the source delivers; the empty one is the whole',
      }),
    },
    {
      value: custom(
        json({
          description: 'JSON of at most 16 KiB, 8 levels and 256 entries',
          brief: 'Any JSON; decimals as texts compare as numbers',
        }),
        isBoundedJson,
        'must be JSON of at most 16 KiB, 8 levels and 256 entries',
      ),
    },
  ],
  { description: 'A value of a source, `binding` and `field`; or one that is in the rule itself, `value`' },
);

const Comparison = withoutOthers(
  shape(
    'Comparison',
    { left: Operand, op: oneOf(compareOps, { message: `must be ${compareOps.join(' or ')}` }), right: Operand },
    {
      description:
        'Texts that are spelled as decimals compare as decimals, exactly, with numbers; `contains`: a part of a text, or an item of a list. Values of other mixed types cannot be compared: unknown, `invalid_value`',
    },
  ),
);

/** A rule, and each of its parts. */
const Node = recursive<RuleNode>('RuleNode', { depthMax, nodesMax }, (node) => {
  const nodes = list(node, { min: 1, max: nodesMax });
  return exactly<RuleNode>()(
    choice('RuleNode', [{ all: nodes }, { any: nodes }, { not: node }, { compare: Comparison }, { exists: Operand }], {
      message: 'must have one of all, any, not, compare, exists',
      description: `Has exactly one of these members. At most ${depthMax} deep, ${nodesMax} nodes and ${ruleBytesMax / 1024} KiB in all. What cannot be read is unknown, never false (Kleene logic). \`exists\` is false on a missing field, and unknown on a source that cannot be read`,
    }),
  );
});

const sizeRule = `must take at most ${ruleBytesMax / 1024} KiB as JSON`;
const Rule = refine(Node, (rule) =>
  Buffer.byteLength(JSON.stringify(rule), 'utf8') <= ruleBytesMax ? [] : [{ path: '', message: sizeRule }],
);

const Bindings = refine(list(Binding, { min: 1, max: bindingsMax }), (bindings) =>
  bindings.flatMap(({ name }, index) => {
    const isFirst = bindings.findIndex((other) => other.name === name) === index;
    return isFirst ? [] : [{ path: pointerTo(index, 'name'), message: 'must be a name of its own' }];
  }),
);

const skewSeconds = optional(
  integer({
    min: 0,
    max: skewSecondsMax,
    message: `must be a whole number of seconds from 0 to ${skewSecondsMax}`,
    description: 'The greatest distance in time between two snapshots of one evaluation',
  }),
);

/** The condition for an automation to fire. */
export const ConditionShape = exactly<Condition>()(
  withoutOthers(shape('Condition', { bindings: Bindings, rule: Rule, skewSeconds })),
);

/** A condition in answers. */
export const ShownConditionShape = exactly<ShownCondition>()(
  shape('ShownCondition', { bindings: Bindings, rule: orErased(Rule), skewSeconds }),
);
