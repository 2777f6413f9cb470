import { parseConsentTemplate } from './consent-template';

describe('a template of consent', () => {
  it('has words, and JSON pointers into the input in braces', () => {
    expect(parseConsentTemplate('Cancel order {/orderId} of {/shop/0/na~1me}.')).toEqual([
      'Cancel order ',
      { pointer: '/orderId' },
      ' of ',
      { pointer: '/shop/0/na~1me' },
      '.',
    ]);
    expect(parseConsentTemplate('{/all}')).toEqual([{ pointer: '/all' }]);
    expect(parseConsentTemplate('Log out everywhere')).toEqual(['Log out everywhere']);
    expect(parseConsentTemplate('😀'.repeat(300))).not.toBeNull();
  });

  it.each([
    ['nothing', ' '],
    ['a brace that is not closed', 'Cancel {/orderId'],
    ['a brace that was not opened', 'Cancel /orderId}'],
    ['braces in braces', 'Cancel {{/orderId}}'],
    ['the whole input', 'Do {}'],
    ['what is no pointer', 'Cancel {orderId}'],
    ['a wrong escape', 'Cancel {/order~2}'],
    ['quotation marks, in which values stand', 'Cancel “{/orderId}”'],
    ['plain quotation marks', 'Cancel "it"'],
    ['two lines', 'Cancel\n{/orderId}'],
    ['words in another direction', 'Cancel \u202e{/orderId}'],
    ['too many places', 'Show'.padEnd(300).replace(/ +/, ' {/a}'.repeat(9))],
    ['too many words', 'x'.repeat(301)],
  ])('has not %s', (_, text) => expect(parseConsentTemplate(text)).toBeNull());
});
