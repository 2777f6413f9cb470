import { useState } from 'react';

/** At most so many calls are remembered: those that run are the newest. */
const callsMax = 64;

/**
 * @typedef {import('@parley/client').ToolProgress} ToolProgress
 * @typedef {import('@parley/client/ai-sdk').ParleyUIMessage} ParleyUIMessage
 */

/**
 * The progress of tool calls by their ids, and the handler of `useChat({ onData })` that collects it. It is transient: no message
 * holds it, and a page that is loaded again shows the next report.
 * @returns {[ReadonlyMap<string, ToolProgress>, NonNullable<import('ai').ChatInit<ParleyUIMessage>['onData']>]}
 */
export function useProgress() {
  const [progress, setProgress] = useState(/** @type {ReadonlyMap<string, ToolProgress>} */ (new Map()));
  return [
    progress,
    (part) => {
      if (part.type !== 'data-progress') return;
      const { data } = part;
      setProgress((known) => new Map([...known].slice(-callsMax)).set(data.toolCallId, data));
    },
  ];
}
