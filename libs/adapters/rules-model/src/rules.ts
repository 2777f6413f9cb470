import { isJsonObject } from '@app/kernel';
import { answerAboutArtifacts } from './artifact-rules';
import { answerAboutAutomations } from './automation-rules';
import { answerAboutCalls } from './call-rules';
import type { ModelRequest, ToolExchange } from '@app/engine';
import { answerAboutMoney } from './money-rules';
import { exchangesOf, mayUse, type RuledAnswer } from './ruled-answer';
import { sampleOf } from './schema-sample';

const understood = [
  '`repeat after me: TEXT` says TEXT word for word',
  '`think aloud: TEXT` shows TEXT as my reasoning, since I have none of my own',
  '`what time is it` (or `what time is it in Europe/Berlin`) asks the service clock',
  '`what is my balance` reads the wallet, `price of NEAR` a price',
  '`withdraw 1.5 USDC`, `withdraw all USDC`, `withdraw 25% of NEAR` ask you to approve a withdrawal to your main account',
  '`swap 5 USDC to NEAR`, `swap $20 of USDC to NEAR` ask you to approve a swap; `and` joins several, `and then` one after the other',
  '`when NEAR drops below $2 swap 10 USDC to NEAR`, `every day at 09:00 Europe/Berlin tell me the price of NEAR` set up an automation, `my automations` lists them',
  '`summarize NAME` reads a file of this conversation, counts and quotes it',
  '`call TOOL {json}` calls a tool of this run with that input, and says what it returned',
  '`help` lists what is understood',
];

const helpText = `I am parley/rules, a model of fixed rules that needs no network. I understand:\n${understood
  .map((line) => `- ${line}`)
  .join('\n')}`;

const honestText = `I am parley/rules, a model of fixed rules, and none of them fits what you wrote. ${helpText.slice(helpText.indexOf('I understand'))}`;

/** The deterministic model `parley/rules`, without its pace: the same request gets the same answer, in any case and spacing. */
export function answerByRules(request: ModelRequest): RuledAnswer {
  if (request.outputSchema !== null) {
    return { text: JSON.stringify(sampleOf(request.outputSchema) ?? null) };
  }
  const echo = echoOf(request.turn.input);
  if (echo !== null) return { text: echo };
  const thought = toldAfter(thinkAloud, request.turn.input);
  if (thought !== null) return { text: thoughtText, reasoning: thought };
  const plain = answerAboutCalls(request) ?? answerAboutArtifacts(request);
  if (plain !== null) return plain;
  const words = withoutPunctuation(request.turn.input.trim().replace(/\s+/g, ' '));
  const time = timeAsked.exec(words);
  if (time) return tellTime(request, time[1]);
  const answer = answerAboutMoney(words, request) ?? answerAboutAutomations(words, request, isUnderstood);
  return answer ?? { text: /^help$/i.test(words) ? helpText : honestText };
}

const untuned = { temperature: null, effort: null, reasoning: false } as const;

/** Whether a sentence by itself asks for something that the rules can do. */
function isUnderstood(sentence: string): boolean {
  const words = withoutPunctuation(sentence.trim());
  const unasked = { turn: { input: sentence, steps: [] }, tools: [], history: [], artifacts: [] } as const;
  const request = { ...unasked, instructions: null, outputSchema: null, repairing: false, ...untuned };
  const rules = [echoOf(sentence), timeAsked.exec(words), answerAboutCalls(request), answerAboutMoney(words, request)];
  return rules.some((answer) => answer !== null);
}

const timeAsked = /^what(?: is the time|'s the time| time is it)(?: in (\S+))?$/i;

/** The exact text after `repeat after me:`; null if there is none. */
function echoOf(input: string): string | null {
  return toldAfter(/^\s*repeat\s+after\s+me\s*:[^\S\n]*/i, input);
}

const thinkAloud = /^\s*think\s+aloud\s*:[^\S\n]*/i;
const thoughtText = 'A model of rules does not think: what I showed as my reasoning are your words.';

/** The exact text after the phrase; null if there is none. */
function toldAfter(phrase: RegExp, input: string): string | null {
  const [asked] = phrase.exec(input) ?? [];
  const rest = asked === undefined ? '' : input.slice(asked.length);
  return rest.trim() === '' ? null : rest;
}

/** The text without final punctuation. Done by a loop, because a pattern anchored at the end would retry from every mark of a long row. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '?!.'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function tellTime(request: ModelRequest, timezone: string | undefined): RuledAnswer {
  const told = exchangesOf(request).find(({ tool }) => tool === 'current_time');
  if (told !== undefined) return { text: timeInWords(told) };
  if (!mayUse(request, 'current_time'))
    return { text: 'This run may not use the tool current_time, so I cannot tell the time.' };
  return { calls: [{ tool: 'current_time', input: timezone === undefined ? {} : { timezone } }] };
}

function timeInWords({ outcome, result }: ToolExchange): string {
  const { local, timezone } = isJsonObject(result) ? result : {};
  const read = outcome === 'ok' && typeof local === 'string' && typeof timezone === 'string';
  return read ? `It is ${local} in ${timezone}.` : 'I could not read the clock.';
}
