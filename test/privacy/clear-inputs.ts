/**
 * Inputs that take no words of a person, each with the reason, by the end of its name. An input of the contract that is neither here nor
 * written with a word fails the test: decide what it is.
 */
export const clearInputs: readonly (readonly [RegExp, string])[] = [
  [/ query cursor$/, 'a text that the service made, and refuses if it did not'],
  [/ header Last-Event-ID$/, 'a number, or a cursor of the feed'],
  [/ header (If-None-Match|Range|If-Range)$/, 'a validator that the service made, or a range of bytes'],
  [/^automations\.webhook path keyId$/, 'an id that the service made'],
  [/ header webhook-(timestamp|signature)$/, 'an instant, and a signature'],
  [/ body (event\.)?type$/, 'a type of event, which the rule names as what wakes it'],
  [/ (definition\.)?profile\.(agent|model|tools\[\])$/, 'a name that the deployment gives; any other is refused'],
  [/ fingerprint$/, 'a digest that the service made'],
  [/ revision$/, 'a text that the service made'],
  [/ (definition\.)?wake\.schedule\.(expression|timezone)$/, 'times: when the rule is woken'],
  [/ (definition\.)?wake\.types\[\]$/, 'types of events'],
  [/ (definition\.)?condition\.bindings\[\]\.name$/, 'an identifier within the rule'],
  [/ (definition\.)?condition\.rule\.[\w.]+\.binding$/, 'an identifier within the rule'],
  [/ (tokenId|(definition\.)?condition\.bindings\[\]\.source\.tokenId)$/, 'a token'],
  [/ (amountRaw|(definition\.)?contract\.[\w.[\]]+)$/, 'amounts, tokens and bounds of a contract: the books'],
];
