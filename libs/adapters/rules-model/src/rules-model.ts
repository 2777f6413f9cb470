import { Injectable } from '@nestjs/common';
import { Configuration } from '@app/settings';
import { ModelFaults } from './model-faults';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFailed, type LanguageModel, type ModelReply, type ShowPiece, type StepRequest } from '@app/engine';
import { answerByRules } from './rules';

const defaultWordMs = 40;

/** `parley/rules` at the pace of a real model: word by word, in real time, with the faults that are set in the sandbox. */
@Injectable()
export class RulesModel implements LanguageModel {
  readonly name = 'parley/rules';
  readonly served = { provider: 'parley', model: 'parley/rules', server: null } as const;
  readonly readsHistory = false;

  constructor(
    private readonly faults: ModelFaults,
    private readonly configuration: Configuration,
  ) {}

  async step(request: StepRequest, onPiece: ShowPiece, signal: AbortSignal): Promise<ModelReply> {
    const { delayMs, fail } = this.faults.current();
    if (fail) throw new ModelFailed('switched_off', 'the sandbox made the rules model fail');
    const costMicroCents = this.configuration.env.RULES_STEP_MICRO_CENTS;
    const left = await request.allowance.cover({ least: costMicroCents, wanted: costMicroCents });
    if (left === null) throw new ModelFailed('out_of_budget', `no room for a step of ${costMicroCents} micro-cents`);
    const answer = answerByRules(fromLastSaid(request));
    const thought = 'reasoning' in answer && request.reasoning ? wordsOf(answer.reasoning, 'reasoning') : [];
    const words = [...thought, ...('text' in answer ? wordsOf(answer.text, 'text') : [])];
    const wordMs = delayMs === null ? defaultWordMs : delayMs / Math.max(words.length, 1);
    if (words.length === 0 && delayMs !== null && delayMs > 0) await sleep(delayMs, undefined, { signal });
    const said: Word[] = [];
    const counted = { inputTokens: countWords(request.turn.input), cachedInputTokens: 0, estimated: false };
    for (const word of words) {
      const isStopped = await isStoppedWithin(wordMs, signal);
      // The words shown are kept; an incomplete step has no price, because it is not billed.
      if (isStopped && said.length > 0) {
        const reply = { ...told(said, true), calls: [], outputTokens: said.length, costMicroCents: 0 };
        return { model: this.name, servedModel: this.name, ...reply, ...counted, ending: 'stopped' };
      }
      signal.throwIfAborted();
      said.push(word);
      onPiece(word.word, word.of);
    }
    const calls = 'calls' in answer ? answer.calls : [];
    const reply = { ...told(said, false), calls, outputTokens: words.length, costMicroCents };
    return { model: this.name, servedModel: this.name, ...reply, ...counted, ending: 'whole' };
  }
}

/** The rules answer the last thing that the user said to the run, as if it had begun with that. */
function fromLastSaid<Request extends Pick<StepRequest, 'turn'>>(request: Request): Request {
  const { steps, unheard = [] } = request.turn;
  const last = unheard.at(-1);
  if (last !== undefined) return { ...request, turn: { input: last, steps: [] } };
  const begun = steps.slice(
    Math.max(
      0,
      steps.findLastIndex(({ heard = [] }) => heard.length > 0),
    ),
  );
  const input = begun[0]?.heard?.at(-1);
  return input === undefined ? request : { ...request, turn: { input, steps: begun } };
}

interface Word {
  readonly word: string;
  readonly of: Parameters<ShowPiece>[1];
}

/** Splits a text into words; joined, they are exactly the text. */
function wordsOf(text: string | undefined, of: Word['of']): readonly Word[] {
  return (text?.match(/\S+\s*|\s+/g) ?? []).map((word) => ({ word, of }));
}

/** The text and reasoning produced so far. */
function told(said: readonly Word[], isStopped: boolean): Pick<ModelReply, 'text' | 'reasoning'> {
  const joined = (kind: Word['of']) => said.flatMap(({ word, of }) => (of === kind ? [word] : [])).join('');
  const [text, thought] = [joined('text'), joined('reasoning')];
  return {
    text: text === '' ? null : text,
    reasoning: thought === '' ? null : { text: thought, truncated: isStopped && text === '' },
  };
}

/** Waits; returns true as soon as the signal aborts. Without a pause it sets no timer, because a timer takes a millisecond at least. */
async function isStoppedWithin(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined); // it rejects only with the abort, which is answered below
  return signal.aborted;
}

/** Counts words, because the rules model has no tokens of its own. */
function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
