import { Injectable } from '@nestjs/common';
import { Configuration, ModelFaults } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFailed, type LanguageModel, type ModelReply, type ModelRequest } from '@app/engine';
import { answerByRules } from './rules';

const defaultWordMs = 40;

/** `parley/rules` at the pace of a model that speaks: word by word, in real time, with the faults that a sandbox has switched on. */
@Injectable()
export class RulesModel implements LanguageModel {
  readonly name = 'parley/rules';
  readonly readsHistory = false;

  constructor(
    private readonly faults: ModelFaults,
    private readonly configuration: Configuration,
  ) {}

  async step(request: ModelRequest, onText: (text: string) => void, signal: AbortSignal): Promise<ModelReply> {
    const { delayMs, fail } = this.faults.current();
    if (fail) throw new ModelFailed('switched_off', 'the sandbox has told the rules model to fail');
    const answer = answerByRules(request);
    const text = 'text' in answer ? answer.text : null;
    // Joined, the pieces are the text to the letter.
    const words = text?.match(/\S+\s*|\s+/g) ?? [];
    const wordMs = delayMs === null ? defaultWordMs : delayMs / Math.max(words.length, 1);
    if (text === null && delayMs !== null && delayMs > 0) await sleep(delayMs, undefined, { signal });
    const said: string[] = [];
    const counted = { inputTokens: countWords(request.turn.input), estimated: false };
    for (const word of words) {
      const isStopped = await isStoppedWithin(wordMs, signal);
      // What was shown stays; an incomplete step has no price, since it is not billed.
      if (isStopped && said.length > 0) {
        const reply = { text: said.join(''), calls: [], outputTokens: said.length, costMicroCents: 0 };
        return { ...reply, ...counted, ending: 'stopped' };
      }
      signal.throwIfAborted();
      said.push(word);
      onText(word);
    }
    const costMicroCents = this.configuration.env.RULES_STEP_MICRO_CENTS;
    const calls = 'calls' in answer ? answer.calls : [];
    return { text, calls, outputTokens: words.length, costMicroCents, ...counted, ending: 'whole' };
  }
}

/** Waits; true as soon as the signal aborts. A model that does not pause costs no timer, which takes a millisecond at least. */
async function isStoppedWithin(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined); // it rejects only with the abort, which is answered below
  return signal.aborted;
}

/** The rules model has no tokens of its own, so its words are counted. */
function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
