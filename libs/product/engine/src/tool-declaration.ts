import { words, type JsonValue, type Words } from '@app/kernel';
import { modelSchema, read, type Schema } from '@app/schema';
import { failWith, type AskTool, type AutoTool, type Tool } from './tool';

/**
 * A tool of the product: all that it is, in the one class of a file `tools/<name>.tool.ts`, which is found there and injected what it needs
 * (docs/decisions/runs.md, "Tools").
 * @typeParam Input what is read of a call's input
 */
export type ToolDeclaration<Input = unknown> = AutoDeclaration<Input> | AskDeclaration<Input>;

/** A tool that needs no consent. */
export type AutoDeclaration<Input> = Declared<Input> & Omit<AutoTool<Input>, 'inputSchema'>;

/** A tool that acts only on what the user has approved. */
export type AskDeclaration<Input> = Declared<Input> & Omit<AskTool<Input>, 'inputSchema'>;

interface Declared<Input> {
  /** Its place among the product's tools: in this order a run that names none has them. Stored with each run. */
  readonly order: number;
  /** What a call is held against, and what models are told of it. */
  readonly input: Schema<Input>;
  /** The same in the words in which any other input is refused. */
  readonly inputWords: Words;
}

/** The declared tool, which reads the input of every call before anything else is done with it. */
export function toolOf(declared: ToolDeclaration): Tool {
  const { name, description, effect, input } = declared;
  const head = { name, description, effect, inputSchema: modelSchema(input) };
  const readInput = (value: JsonValue) => read(input, value);
  const error = words`the input must be ${declared.inputWords}`;
  if (declared.consent === 'auto') {
    return {
      ...head,
      consent: 'auto',
      run: async (value, context, signal) => {
        const found = readInput(value);
        return found.ok ? declared.run(found.value, context, signal) : failWith(error);
      },
    };
  }
  return {
    ...head,
    consent: 'ask',
    review: async (value, context) => {
      const found = readInput(value);
      return found.ok ? declared.review(found.value, context) : { ok: false, error };
    },
    run: async (approved, context, signal) => {
      const found = readInput(approved.input);
      return found.ok ? declared.run({ ...approved, input: found.value }, context, signal) : failWith(error);
    },
  };
}
