import { words, type JsonValue, type Words } from '@app/kernel';
import { modelSchema, read, type Schema } from '@app/schema';
import { failWith, type AskTool, type AutoTool, type Tool } from './tool';

/**
 * A tool of the product, complete in the one class of a file `tools/<name>.tool.ts`, where it is found and gets its dependencies injected
 * (docs/decisions/runs.md, "Tools").
 * @typeParam Input the part of a call's input that is read
 */
export type ToolDeclaration<Input = unknown> = AutoDeclaration<Input> | AskDeclaration<Input>;

/** A tool that needs no consent. */
export type AutoDeclaration<Input> = Declared<Input> & Omit<AutoTool<Input>, 'inputSchema'>;

/** A tool that acts only on what the user has approved. */
export type AskDeclaration<Input> = Declared<Input> & Omit<AskTool<Input>, 'inputSchema'>;

interface Declared<Input> {
  /** Its place among the product's tools: the order in which a run that names no tools has them. Stored with each run. */
  readonly order: number;
  /** The schema that calls are checked against, and that models see. */
  readonly input: Schema<Input>;
  /** The same in words, for the refusal of any other input. */
  readonly inputWords: Words;
}

/** Returns the declared tool, which reads the input of every call before it does anything else. */
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
