export {
  LoopbackModels,
  type Asked,
  type AskedMessage,
  type Provider,
  type RecordedRequest,
  type Script,
  type Scripted,
  type ScriptedCall,
  type ScriptedReply,
} from './loopback-models';
export type { RefusedPart } from './part-refusals';
export { contextRefusals, partRefusals } from './refusals';
